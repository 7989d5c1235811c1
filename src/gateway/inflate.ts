/** A plain copy of a compressed body, to look at. The compressed bytes are the ones that travel (GW-3). */
import { promisify } from "node:util";
import { brotliDecompress, constants, gunzip, inflateRaw, inflate as inflateZlib, zstdDecompress } from "node:zlib";

const gunzipAsync = promisify(gunzip);
const brotliAsync = promisify(brotliDecompress);
const zstdAsync = promisify(zstdDecompress);
const inflateAsync = promisify(inflateZlib);
const inflateRawAsync = promisify(inflateRaw);

/**
 * `bytes` without their content coding; the same object where there is none. Null for a coding that we do not know,
 * damaged bytes, and anything that is larger than `bytesMax`.
 * @param mayBeCut true for a copy of a stream that may have ended early: as much as can be read is returned
 */
export async function inflateCopy(
  bytes: Buffer,
  encoding: string | undefined,
  bytesMax: number,
  mayBeCut = false,
): Promise<Buffer | null> {
  const coding = encoding?.trim().toLowerCase() ?? "";
  if (coding === "" || coding === "identity") return bytes.length > bytesMax ? null : bytes;
  try {
    return await decode(coding, bytes, bytesMax, mayBeCut);
  } catch {
    // Damaged or too large: the body travels as it came and is not looked at.
    return null;
  }
}

async function decode(coding: string, bytes: Buffer, maxOutputLength: number, cut: boolean): Promise<Buffer | null> {
  const zlib = cut ? { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH } : { maxOutputLength };
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return await gunzipAsync(bytes, zlib);
    case "br":
      return await brotliAsync(
        bytes,
        cut ? { maxOutputLength, finishFlush: constants.BROTLI_OPERATION_FLUSH } : { maxOutputLength },
      );
    case "zstd":
      return await zstdAsync(
        bytes,
        cut ? { maxOutputLength, finishFlush: constants.ZSTD_e_flush } : { maxOutputLength },
      );
    case "deflate":
      // The name means zlib, but some clients send the bare stream. The low half of a zlib header byte is 8.
      return await ((bytes[0] ?? 0) % 16 === 8 ? inflateAsync(bytes, zlib) : inflateRawAsync(bytes, zlib));
    default:
      return null;
  }
}
