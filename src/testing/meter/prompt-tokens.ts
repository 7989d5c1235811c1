/** English and code come to about four bytes per token; the simulated provider needs no better tokenizer. */
const bytesPerToken = 4;

export function promptTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}
