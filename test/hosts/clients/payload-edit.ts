/** Somebody else's extension that edits every payload, as the text of a module for each host. */

/** Uses nothing from outside: it is written out as text. */
export type PayloadEdit = (payload: never) => object;

/** For Pi and OMP. */
export function agentExtension(edit: PayloadEdit): string {
  const hook = `pi.on("before_provider_request", ({ payload }) => ${edit.name}(payload));`;
  return `export default (pi) => {\n${edit}\n${hook}\n};\n`;
}

/** For OpenCode, where the plugin that comes last stands in front of the others. */
export function opencodePlugin(edit: PayloadEdit): string {
  const hook = `config: async ({ provider }) => {
    for (const { options } of Object.values(provider)) {
      const send = options.fetch ?? fetch;
      options.fetch = (url, init) => send(url, { ...init, body: JSON.stringify(${edit.name}(JSON.parse(init.body))) });
    }
  }`;
  return `${edit}\nexport default async () => ({ ${hook} });\n`;
}
