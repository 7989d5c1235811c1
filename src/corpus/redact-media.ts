/** Files inside a body: only the kind and the size of an image are kept, because rules ask for them. */
import { imageSize, magicOf } from "../dispatch/detect/images.ts";
import type { Filler } from "./filler.ts";

/** @param base64 a file of any kind; what is no image that we can measure is filled as a whole */
export function redactMedia(base64: string, filler: Filler): string {
  const head = Buffer.from(base64.slice(0, HEADER_BASE64_MAX), "base64");
  const size = imageSize(head);
  const header = size === null ? Buffer.from(magicOf(head), "latin1") : headerOf(head, size);
  const encoded = Buffer.from(header).toString("base64").replace(/=+$/, "");
  return `${encoded}${filler.text(base64.slice(encoded.length))}`;
}

/** `data:image/png;base64,…`: its type stays. Null for any other text. */
export function redactDataUrl(text: string, filler: Filler): string | null {
  const head = /^data:([\w.+/;=-]{0,100});base64,/.exec(text)?.[0];
  if (head === undefined) return null;
  return `data:${filler.name(head.slice("data:".length))}${redactMedia(text.slice(head.length), filler)}`;
}

/** As far as the gate looks for a size. */
const HEADER_BASE64_MAX = 131_072;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The shortest beginning of a file of this kind from which the size can be read; never longer than the original's. */
function headerOf(head: Buffer, size: Size): Uint8Array {
  if (head.readUInt32BE(0) === 0x89504e47) return pngHeader(size);
  if (head.toString("latin1", 0, 3) === "GIF") return gifHeader(size);
  return head.readUInt16BE(0) === 0xffd8 ? jpegHeader(size) : webpHeader(size);
}

function pngHeader({ width, height }: Size): Uint8Array {
  const header = Buffer.from("89504e470d0a1a0a0000000d494844520000000000000000", "hex");
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return header;
}

function gifHeader({ width, height }: Size): Uint8Array {
  const header = Buffer.from("GIF89a\0\0\0\0", "latin1");
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  return header;
}

function jpegHeader({ width, height }: Size): Uint8Array {
  const header = Buffer.from("ffd8ffc00011080000000003", "hex");
  header.writeUInt16BE(height, 7);
  header.writeUInt16BE(width, 9);
  return header;
}

function webpHeader({ width, height }: Size): Uint8Array {
  const header = Buffer.from(`RIFF\0\0\0\0WEBPVP8X\n${"\0".repeat(13)}`, "latin1");
  header.writeUIntLE(width - 1, 24, 3);
  header.writeUIntLE(height - 1, 27, 3);
  return header;
}
