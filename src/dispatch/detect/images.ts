/** Kinds and sizes of images, read from the first bytes of the file: no codec is needed for that. */
import { isObject, type JsonObject, stringOf, type WireRequest } from "../../wire/request.ts";
import type { Fault } from "../rule.ts";
import { perRow } from "./per-row.ts";

/** More images than this in one request, and the smaller limit holds for each. */
const FEW_IMAGES = 20;
const SIDE_OF_MANY_MAX_PX = 2000;
const SIDE_MAX_PX = 8000;

export function oversizedImages(request: WireRequest): Fault[] {
  const images = imagesOf(request);
  const sideMax = images.length > FEW_IMAGES ? SIDE_OF_MANY_MAX_PX : SIDE_MAX_PX;
  return images.flatMap(({ path, size }) => {
    if (size === null || Math.max(size.width, size.height) <= sideMax) return [];
    const message = `an image of ${size.width}×${size.height} px in a request with ${images.length} images; at most ${sideMax} px a side`;
    return [{ path, message }];
  });
}

export interface MediaTypeFault extends Fault {
  /** What the bytes are. */
  readonly mediaType: string;
}

/** Images that are called something else than their bytes are. */
export function mislabelledImages(request: WireRequest): MediaTypeFault[] {
  return imagesOf(request).flatMap(({ path, told, mediaType }) => {
    if (told === null || mediaType === null || told === mediaType) return [];
    const message = `an image of the kind ${mediaType} is called ${told.slice(0, 80)}`;
    return [{ path: `${path}/source/media_type`, message, mediaType }];
  });
}

interface PlacedImage {
  readonly path: string;
  readonly size: ImageSize | null;
  /** As the request says; null where the image is not in the request. */
  readonly told: string | null;
  /** As the bytes say; null where they are of no kind that the API takes. */
  readonly mediaType: string | null;
}

interface ImageSize {
  readonly width: number;
  readonly height: number;
}

const imagesOf = perRow((row) => (row.form === "blocks" ? imagesIn(row.value.content, row.contentPath) : []));

function imagesIn(value: unknown, path: string): PlacedImage[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => imagesIn(item, `${path}/${index}`));
  if (!isObject(value)) return [];
  if (value.type === "image") return [readImage(value, path)];
  return value.type === "tool_result" ? imagesIn(value.content, `${path}/content`) : [];
}

/** JPEG headers may carry a preview image in front of the size; further in we do not look. */
const HEADER_BASE64_MAX = 131_072;

function readImage({ source }: JsonObject, path: string): PlacedImage {
  if (!isObject(source) || source.type !== "base64") return { path, size: null, told: null, mediaType: null };
  const header = Buffer.from(stringOf(source.data).slice(0, HEADER_BASE64_MAX), "base64");
  const told = typeof source.media_type === "string" ? source.media_type : null;
  return { path, size: imageSize(header), told, mediaType: mediaTypeOf(header) };
}

function mediaTypeOf(header: Buffer): string | null {
  return kindOf(header)?.mediaType ?? null;
}

/** What the kind of an image is known by, as Latin-1; empty where it is of no kind that the API takes. */
export function magicOf(header: Buffer): string {
  const kind = kindOf(header);
  return kind === undefined ? "" : "\0".repeat(kind.at) + kind.magic;
}

function kindOf(header: Buffer) {
  return KINDS.find(({ at, magic }) => header.toString("latin1", at, at + magic.length) === magic);
}

const KINDS = [
  { mediaType: "image/png", at: 0, magic: "\x89PNG\r\n\x1a\n" },
  { mediaType: "image/jpeg", at: 0, magic: "\xff\xd8\xff" },
  { mediaType: "image/gif", at: 0, magic: "GIF8" },
  { mediaType: "image/webp", at: 8, magic: "WEBP" },
] as const;

/** Width and height of PNG, GIF, JPEG or WebP, or null. */
export function imageSize(bytes: Buffer): ImageSize | null {
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47) {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.length >= 10 && bytes.toString("latin1", 0, 3) === "GIF") {
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (bytes.length >= 30 && bytes.toString("latin1", 8, 12) === "WEBP") return webpSize(bytes);
  return bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8 ? jpegSize(bytes) : null;
}

function jpegSize(bytes: Buffer): ImageSize | null {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function webpSize(bytes: Buffer): ImageSize | null {
  const kind = bytes.toString("latin1", 12, 16);
  if (kind === "VP8X") return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (kind === "VP8 ") return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (kind !== "VP8L") return null;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}
