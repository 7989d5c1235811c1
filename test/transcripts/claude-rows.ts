/** Rows as Claude Code writes them, from little. */

export const sessionId = "aaaaaaaa-0000-4000-8000-000000000001";
export const sessionFile = `${sessionId}.jsonl`;

interface Usage {
  readonly read?: number;
  readonly write?: number;
  readonly write1h?: number;
  readonly output?: number;
}

/** Gives rows of one session, each chained to the one before. */
export class ClaudeSession {
  readonly rows: Record<string, unknown>[] = [];
  readonly #id: string;
  readonly #version: string;
  #count = 0;
  #seconds = 0;

  constructor(id = sessionId, version = "2.1.63") {
    this.#id = id;
    this.#version = version;
  }

  get last(): string {
    return String(this.rows.findLast((row) => "uuid" in row)?.uuid);
  }

  wait(seconds: number): this {
    this.#seconds += seconds;
    return this;
  }

  add(row: Record<string, unknown>): this {
    const parent = this.rows.length === 0 ? null : this.last;
    this.rows.push({ parentUuid: parent, ...this.#envelope(), ...row });
    return this;
  }

  user(text: string, extra: Record<string, unknown> = {}): this {
    return this.add({ type: "user", message: { role: "user", content: text }, ...extra });
  }

  result(id: string, extra: Record<string, unknown> = {}): this {
    const content = [{ type: "tool_result", tool_use_id: id, content: "done" }];
    return this.add({ type: "user", message: { role: "user", content }, ...extra });
  }

  /** One row of a response. */
  answer(name: string, usage: Usage, extra: Record<string, unknown> = {}, message: Record<string, unknown> = {}): this {
    return this.add({
      type: "assistant",
      requestId: `req_${name}`,
      message: {
        ...{ id: `msg_${name}`, role: "assistant", model: "claude-sonnet-4-5", stop_reason: "end_turn" },
        content: [{ type: "text", text: "Yes." }],
        usage: toUsage(usage),
        ...message,
      },
      ...extra,
    });
  }

  call(name: string, id: string, usage: Usage = { read: 9000 }, extra: Record<string, unknown> = {}): this {
    const content = [{ type: "tool_use", id, name: "Read", input: {} }];
    return this.answer(name, usage, extra, { content, stop_reason: "tool_use" });
  }

  /** A row without a place in the chain. */
  note(row: Record<string, unknown>): this {
    this.rows.push({ sessionId: this.#id, timestamp: this.#time(), ...row });
    return this;
  }

  #envelope() {
    this.#count += 1;
    this.#seconds += 4;
    const uuid = `${this.#id.slice(0, 8)}-0000-4000-9000-${String(this.#count).padStart(12, "0")}`;
    return { isSidechain: false, sessionId: this.#id, version: this.#version, uuid, timestamp: this.#time() };
  }

  #time(): string {
    return new Date(Date.UTC(2026, 2, 14, 9) + this.#seconds * 1000).toISOString();
  }
}

export function toUsage({ read = 0, write = 0, write1h = 0, output = 60 }: Usage) {
  return {
    input_tokens: 4,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write + write1h,
    cache_creation: { ephemeral_5m_input_tokens: write, ephemeral_1h_input_tokens: write1h },
    output_tokens: output,
  };
}
