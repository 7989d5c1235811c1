/** The page's script: plain JavaScript of every current browser. It only ever sets text, never markup. */
export const script = `
"use strict";
const shown = new Map();
const byId = (id) => document.getElementById(id);
// More rows than a person reads, and few enough to draw every two seconds.
const LIST_MAX = 50;
// Holds the token where the page was opened with one.
const base = new URL(".", location.href).href.replace(/\\/$/, "");
const number = new Intl.NumberFormat().format;
const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" }).format;
const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" }).format;

function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  for (const child of children) made.append(child instanceof Node ? child : String(child));
  return made;
}

function row(...cells) {
  return element("tr", "", ...cells.map((cell) => element("td", "", cell)));
}

function fill(id, rows, columns, empty) {
  const none = element("td", "note", empty);
  none.colSpan = columns;
  const names = [...byId(id).closest("table").tHead.rows[0].cells].map((cell) => cell.textContent);
  // On a narrow screen each row is a list, and the names of the columns stand beside its cells.
  for (const made of rows) for (const [index, cell] of [...made.cells].entries()) cell.dataset.name = names[index];
  replace(id, rows.length > 0 ? rows : [element("tr", "", none)]);
}

// What is the same stays: a person may be marking it, or hear it read aloud.
function replace(id, nodes) {
  const next = nodes.map((node) => node.outerHTML).join("");
  if (shown.get(id) === next) return;
  shown.set(id, next);
  byId(id).replaceChildren(...nodes);
}

function inputBar(usage) {
  if (!usage) return "";
  const parts = [["read", usage.cache_read_tokens], ["write", usage.cache_write_tokens], ["input", usage.input_tokens]];
  const total = parts.reduce((sum, [, tokens]) => sum + tokens, 0);
  const bar = element("div", "bar");
  for (const [name, tokens] of parts) {
    const part = element("i", name);
    part.style.width = total > 0 ? (100 * tokens) / total + "%" : "0";
    part.title = name + ": " + number(tokens);
    bar.append(part);
  }
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", parts.map(([name, tokens]) => name + " " + tokens).join(", "));
  return element("div", "", number(total), bar);
}

function statusText(turn) {
  if (turn.status === null) return element("span", "note", "client left");
  const text = turn.error === null ? turn.status : turn.status + " " + turn.error;
  return element("span", turn.status < 400 ? (turn.complete ? "ok" : "warn") : "bad", turn.complete || turn.error ? text : text + " cut off");
}

function prefixLines(prefix) {
  if (prefix.cause === "unknown") return ["prefix " + prefix.message];
  const paid = "about " + number(prefix.rewritten_tokens) + " tokens paid again";
  return ["prefix moved: " + prefix.message + " (" + prefix.cause + " at " + (prefix.path || "/") + "), " + paid, "→ " + prefix.advice];
}

function noteOf(turn) {
  const lines = [];
  for (const { rule, path, message } of turn.violations) lines.push(rule + " " + path + ": " + message);
  for (const { op, path, rule } of turn.edits) lines.push(op + " " + path + " (" + rule + ")");
  for (const divergence of turn.divergences) lines.push(divergence.class + " × " + divergence.count);
  if (turn.prefix) lines.push(...prefixLines(turn.prefix));
  if (turn.rejection) lines.push([turn.rejection.rule, turn.rejection.path, turn.rejection.message].filter(Boolean).join(" "));
  return lines.length === 0 ? "" : element("div", "note", ...lines.map((line) => element("div", "", line)));
}

const outcomeClass = { sent: "ok", repaired: "warn", degraded: "bad" };
const verdictClass = { admit: "ok", "admit-unverified": "warn", unsafe: "bad" };

function waitingRow(turn) {
  return row(
    element("span", "time", timeOfDay(turn.at)), turn.upstream, turn.model ?? "", "", "", element("span", "note", "on the way"), "", "",
    element("div", "note", ...prefixLines(turn.prefix).map((line) => element("div", "", line))),
  );
}

function showTurns({ turns, waiting }) {
  fill("turns", [...waiting.map(waitingRow), ...turns.slice(0, LIST_MAX).map((turn) => row(
    element("span", "time", timeOfDay(turn.at)), turn.upstream, turn.model ?? "", element("span", verdictClass[turn.verdict], turn.verdict),
    element("span", outcomeClass[turn.outcome], turn.outcome), statusText(turn), inputBar(turn.usage),
    turn.usage ? number(turn.usage.output_tokens) : "", noteOf(turn),
  ))], 9, "No turn yet. “Connect an agent”, further down, says how to begin.");
  sayMore("turns-more", turns.length, "api/turns");
}

function sayMore(id, count, path) {
  byId(id).textContent = count > LIST_MAX ? "The newest " + LIST_MAX + " of " + count + "; all of them are at " + path + "." : "";
}

function summarise(text) {
  if (byId("summary").textContent !== text) byId("summary").textContent = text;
}

function showStatus(status) {
  const modes = new Set(status.upstreams.map(({ mode }) => mode));
  const mode = modes.size === 1 ? [...modes][0] : "guard and observe";
  summarise("Version " + status.version + " · " + mode + " mode · since " + dateAndTime(status.started_at) + " · " +
    status.open_exchanges + " on the way");
  fill("upstreams", status.upstreams.map((upstream) => row(
    upstream.name, element("code", "", base + "/" + upstream.name), element("code", "", upstream.url),
    element("span", upstream.mode === "guard" ? "ok" : "warn", upstream.mode),
  )), 4, "");
}

function showSessions(sessions) {
  fill("sessions", sessions.slice(0, LIST_MAX).map((session) => row(
    element("code", "", session.session.slice(0, 12)), session.upstream, session.model ?? "", number(session.turns), number(session.repaired),
    number(session.degraded), inputBar(session.usage), number(session.usage.output_tokens),
  )), 8, "No session yet.");
  sayMore("sessions-more", sessions.length, "api/sessions");
}

function showCounters(counters) {
  fill("counters", counters.map(({ name, labels, count }) => row(
    name, Object.entries(labels).map(([key, value]) => key + "=" + value).join(" "), number(count),
  )), 3, "Nothing counted yet.");
}

function showConnections({ agents, base_urls }) {
  fill("apis", base_urls.map(({ api, base_url }) => row(api, element("code", "", base_url))), 2, "");
  byId("agents").replaceChildren(...agents.map((agent) => element("details", "", element("summary", "", agent.agent),
    element("p", "note", agent.where), element("pre", "", agent.paste),
    agent.loses === null ? "" : element("p", "note", "Behind a base URL it loses: " + agent.loses + "."),
    agent.bring_back === null ? "" : element("pre", "", agent.bring_back))));
}

async function read(path) {
  const answer = await fetch(path, { cache: "no-store" });
  if (!answer.ok) throw new Error(path + " answered " + answer.status);
  return answer.json();
}

async function refresh() {
  try {
    const [status, turns, sessions, counters] = await Promise.all(["api/status", "api/turns", "api/sessions", "api/counters"].map(read));
    showStatus(status);
    showTurns(turns);
    showSessions(sessions.sessions);
    showCounters(counters.counters);
  } catch (error) {
    summarise("The gateway does not answer: " + error.message);
  }
  setTimeout(refresh, document.hidden ? 10000 : 2000);
}

read("api/connect?base=" + encodeURIComponent(base)).then(showConnections, () => {});
refresh();
`;
