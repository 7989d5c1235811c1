/** Colours are system ones where that is enough, so that light and dark both come from the reader's own setting. */
export const style = `
:root { color-scheme: light dark; --line: light-dark(#d9dde3, #353b45); --soft: light-dark(#5b6472, #9aa4b2);
  --ok: light-dark(#1a7f37, #4cc46a); --warn: light-dark(#9a6700, #d9a53a); --bad: light-dark(#b42318, #ff7b72);
  --read: light-dark(#2da44e, #3fb950); --write: light-dark(#bf8700, #d29922); --input: light-dark(#cf4a3c, #f0655a); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; font: 15px/1.5 system-ui, sans-serif;
  background: light-dark(#fff, #14171c); color: light-dark(#1c2127, #e3e7ed); }
h1 { margin: 0; font-size: 1.4rem; } h2 { margin: 2rem 0 .5rem; font-size: 1.05rem; }
header p, .legend, .note { margin: .25rem 0; color: var(--soft); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 500; white-space: nowrap; }
code, pre { font: 13px/1.45 ui-monospace, monospace; } pre { margin: .25rem 0 .5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
td code, .time { white-space: nowrap; }
.ok { color: var(--ok); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.bar { display: flex; width: 10rem; height: .6rem; margin-top: .35rem; border-radius: 3px; overflow: hidden; background: var(--line); }
.bar i { height: 100%; } .bar .read { background: var(--read); } .bar .write { background: var(--write); } .bar .input { background: var(--input); }
.legend span::before { content: ""; display: inline-block; width: .7rem; height: .7rem; margin: 0 .35rem 0 .75rem; border-radius: 2px; }
.legend span:first-child::before { margin-left: 0; }
.legend .read::before { background: var(--read); } .legend .write::before { background: var(--write); }
.legend .input::before { background: var(--input); }
#agents { margin-top: 1rem; }
@media (max-width: 44rem) {
  body { padding: 1rem; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, td { display: block; }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td { display: flex; gap: .75rem; padding: .1rem 0; border: 0; overflow-wrap: anywhere; }
  td:empty { display: none; }
  td::before { content: attr(data-name); flex: 0 0 6.5rem; color: var(--soft); }
  td:not([data-name])::before { content: none; }
  td > * { min-width: 0; } td code { white-space: normal; overflow-wrap: anywhere; }
  td .note { margin: 0; color: inherit; }
  /* A turn's short words need no name: time and upstream, then what became of it. */
  #turns tr { display: flex; flex-wrap: wrap; column-gap: .75rem; } #turns td { flex: 0 0 100%; }
  #turns td:is(:nth-child(1), :nth-child(2), :nth-child(4), :nth-child(5), :nth-child(6))[data-name] { flex: 0 0 auto; }
  #turns td:nth-child(-n + 6)::before { content: none; }
}
details { border-bottom: 1px solid var(--line); padding: .35rem 0; } summary { cursor: pointer; }
`;
