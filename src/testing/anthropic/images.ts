/** Image limits. They look at the whole request: one more image at the end can make an old one illegal. */
import { asObject, asObjects, asText, type JsonObject } from "../json-value.ts";
import type { Rejection } from "../rejection.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";
import { readImageSize, sniffMediaType } from "./image-size.ts";

const imagesMax = 100;
const manyImages = 20;
const sideMax = 8000;
const sideMaxOfMany = 2000;

export function* imageFindings({ conversation }: AnthropicRequest): Generator<Rejection> {
  const images = conversation.rows.flatMap((row) => row.blocks.flatMap((one) => [...imagesOf(one.path, one.block)]));
  if (images.length > imagesMax) {
    yield { rule: "A-IMG-26", message: `Too many images: ${images.length} > ${imagesMax}` };
  }
  const many = images.length > manyImages;
  const limit = many ? sideMaxOfMany : sideMax;
  for (const { path, data } of images) {
    const size = readImageSize(Buffer.from(data, "base64"));
    if (size === null || Math.max(size.width, size.height) <= limit) continue;
    yield {
      rule: "A-IMG-26",
      message:
        `${path}.image.source.base64.data: At least one of the image dimensions exceed max allowed size` +
        `${many ? " for many-image requests" : ""}: ${limit} pixels`,
      code: "image_dimensions_too_large",
    };
  }
  for (const { path, data, mediaType } of images) {
    const seen = sniffMediaType(Buffer.from(data.slice(0, 24), "base64"));
    if (seen === null || seen === mediaType) continue;
    yield {
      rule: "A-IMG-32",
      message:
        `${path}.image.source.base64: The image was specified using the ${mediaType} media type, ` +
        `but the image appears to be a ${seen} image`,
    };
  }
  for (const row of conversation.rows) {
    for (const { path, type, block } of row.blocks) {
      const failed = type === "tool_result" && block.is_error === true;
      if (failed && asObjects(block.content).some((part) => part.type !== "text")) {
        yield { rule: "A-ERRIMG-27", message: `${path}: all content must be type \`text\` if \`is_error\` is true` };
      }
    }
  }
}

function* imagesOf(path: string, block: JsonObject): Generator<{ path: string; data: string; mediaType: string }> {
  if (block.type === "image") {
    const source = asObject(block.source);
    yield {
      path,
      data: source.type === "base64" ? asText(source.data) : "",
      mediaType: asText(source.media_type),
    };
  }
  if (block.type !== "tool_result") return;
  for (const [at, part] of asObjects(block.content).entries()) {
    if (part.type === "image") yield* imagesOf(`${path}.content.${at}`, part);
  }
}
