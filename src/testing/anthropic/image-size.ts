/** Width and height from the first bytes of a PNG, GIF, WebP or JPEG; null where the bytes are none of these. */
export function readImageSize(bytes: Buffer): { width: number; height: number } | null {
  if (bytes.length < 30) return null;
  if (bytes.toString("latin1", 1, 4) === "PNG")
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.toString("latin1", 0, 4) === "GIF8") return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (bytes.toString("latin1", 8, 15) === "WEBPVP8") return readWebp(bytes);
  return bytes.readUInt16BE(0) === 0xffd8 ? readJpeg(bytes) : null;
}

/** The media type that the first bytes belong to; null where they are none of the four that the API takes. */
export function sniffMediaType(bytes: Buffer): string | null {
  const hex = bytes.toString("hex");
  if (hex.startsWith("89504e470d0a1a0a")) return "image/png";
  if (hex.startsWith("ffd8ff")) return "image/jpeg";
  if (hex.startsWith("474946383761") || hex.startsWith("474946383961")) return "image/gif";
  return hex.slice(16, 24) === "57454250" ? "image/webp" : null;
}

function readWebp(bytes: Buffer): { width: number; height: number } {
  const kind = bytes.toString("latin1", 15, 16);
  if (kind === "X") return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (kind === "L") {
    const packed = bytes.readUInt32LE(21);
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
  }
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}

/** The size stands in the first frame header; every segment before it says how long it is. */
function readJpeg(bytes: Buffer): { width: number; height: number } | null {
  let at = 2;
  while (at + 9 < bytes.length) {
    const marker = bytes.readUInt16BE(at);
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && marker !== 0xffc4 && marker !== 0xffc8 && marker !== 0xffcc;
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}
