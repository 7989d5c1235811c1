/** Bodies of every API with a secret in each place where a person, a host or a tool can write. All content is invented. */
import type { Api } from "../../src/wire/api.ts";

export interface PlantedBody {
  readonly api: Api;
  readonly body: object;
}

const GIVEN = ["Marisol", "Thorvald", "Anneke", "Bartholomew", "Ximena", "Yusuf", "Priyanka", "Oleander", "Dagny", "Ruaridh"];
const FAMILY = ["Quillfeather", "Brandywine", "Okonkwo-Vale", "Zielinski", "Hawthornden", "Ashgrove", "Müllerstein", "Fjordbakken"];
const WORDS = ["prenuptial", "insolvency", "whistleblower", "biopsy", "embezzlement", "custody", "severance", "blackmail"];

/** Keys, names, paths, addresses, prompt words, among them short and non-Latin ones. */
export const SECRETS: readonly string[] = [
  ...GIVEN.flatMap((given) => FAMILY.map((family) => `${given} ${family}`)),
  ...GIVEN.flatMap((given) => [`${given.toLowerCase()}@corp-internal.example`, `/home/${given.toLowerCase()}/vault`, `cc ${given}'s landlord`]),
  ...WORDS.flatMap((word) => [word, `${word}_ledger_2031`, `Project ${word.toUpperCase()}`, `${word}-${word.length}.xlsx`]),
  ...Array.from({ length: 30 }, (_, index) => `sk-live-${"Qw7Zr9Lp".repeat(2)}${String(index).padStart(2, "0")}`),
  ...Array.from({ length: 20 }, (_, index) => `ghp_${"x9Kd73mVbT".repeat(3)}${index}`),
  ...["株式会社秘密計画", "конфиденциально", "C:\\Users\\Ximena\\tax.pdf", "+44 7911 123456", "4929 1234 5678 9012"],
  ...["https://git.corp-internal.example/nightjar/kestrel.git", "postgres://nightjar:hunter22@db.kestrel:5432/ledger"],
  ...["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJuaWdodGphciJ9.c2lnbmVk", "AKIAQX7EXAMPLE9KESTREL", "kestrel-finetune-nightjar"],
];

/** Every secret stands somewhere in the bodies; the places take them in turn. */
export function plantBodies(): readonly PlantedBody[] {
  const places = new Places();
  const rounds = Math.ceil(SECRETS.length / 30);
  return Array.from({ length: rounds }, () => [anthropic(places), chat(places), responses(places), gemini(places)]).flat();
}

class Places {
  #next = 0;
  secret(): string {
    const secret = SECRETS[this.#next % SECRETS.length]!;
    this.#next += 1;
    return secret;
  }
}

function anthropic(places: Places): PlantedBody {
  const id = `toolu_${places.secret()}`;
  const image = Buffer.from(places.secret()).toString("base64");
  const body = {
    model: `claude-sonnet-4-5-${places.secret()}`,
    max_tokens: 64,
    metadata: { user_id: places.secret(), [places.secret()]: 441_902_773 },
    [places.secret()]: places.secret(),
    system: [{ type: "text", text: `You help ${places.secret()}.`, cache_control: { type: "ephemeral" } }],
    tools: [
      {
        name: places.secret(),
        description: places.secret(),
        input_schema: {
          type: "object",
          properties: { [places.secret()]: { type: "string", enum: [places.secret()], default: places.secret() } },
          required: [places.secret()],
        },
      },
    ],
    messages: [
      { role: "user", content: `Dear assistant, ${places.secret()} (${places.secret()})\n\t${places.secret()}` },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: places.secret(), signature: places.secret() },
          { type: "tool_use", id, name: places.secret(), input: { [places.secret()]: [places.secret(), { type: places.secret() }] } },
          { type: places.secret(), role: places.secret() },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: id, content: [{ type: "text", text: places.secret() }] },
          { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
          { type: "image", source: { type: "url", url: places.secret() } },
        ],
      },
    ],
  };
  return { api: "anthropic-messages", body };
}

function chat(places: Places): PlantedBody {
  const id = places.secret();
  const spoken = { [places.secret()]: places.secret(), count: 8_812_345 };
  const body = {
    model: "gpt-4.1",
    user: places.secret(),
    messages: [
      { role: "system", content: places.secret(), name: places.secret() },
      { role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${btoa("nightjar")}` } }] },
      {
        role: "assistant",
        content: null,
        reasoning_content: places.secret(),
        tool_calls: [{ id, type: "function", function: { name: places.secret(), arguments: JSON.stringify(spoken) } }],
      },
      { role: "tool", tool_call_id: id, content: `{"broken": "${places.secret()}` },
    ],
  };
  return { api: "openai-completions", body };
}

function responses(places: Places): PlantedBody {
  const id = places.secret();
  const body = {
    model: "gpt-5.5",
    instructions: places.secret(),
    prompt_cache_key: places.secret(),
    input: [
      { role: "user", content: [{ type: "input_text", text: places.secret() }] },
      { type: "reasoning", id: `rs_${places.secret()}`, summary: [], encrypted_content: places.secret() },
      { type: "function_call", call_id: id, name: places.secret(), arguments: `{"path":"${btoa(places.secret().replace(/[^\0-\x7f]/g, ""))}"}` },
      { type: "function_call_output", call_id: id, output: places.secret() },
      { type: "custom_tool_call", call_id: places.secret(), name: places.secret(), input: places.secret() },
    ],
  };
  return { api: "openai-responses", body };
}

function gemini(places: Places): PlantedBody {
  const body = {
    systemInstruction: { parts: [{ text: places.secret() }] },
    contents: [
      { role: "user", parts: [{ text: places.secret() }] },
      { role: "model", parts: [{ functionCall: { name: places.secret(), args: { [places.secret()]: places.secret() } } }] },
      { role: "user", parts: [{ functionResponse: { name: places.secret(), response: { output: places.secret() } } }] },
    ],
  };
  return { api: "google-generative-ai", body };
}
