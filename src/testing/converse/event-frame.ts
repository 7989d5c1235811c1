/** One frame of an AWS event stream, with both checksums. */
import { crc32 } from "node:zlib";

export function eventFrame(type: string, payload: object): Buffer {
  const headers = Buffer.concat([
    header(":event-type", type),
    header(":content-type", "application/json"),
    header(":message-type", "event"),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(16 + headers.length + body.length);
  lengths.writeUInt32BE(headers.length, 4);
  const message = Buffer.concat([lengths, checksum(lengths), headers, body]);
  return Buffer.concat([message, checksum(message)]);
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(3);
  // The type of a string.
  length[0] = 7;
  length.writeUInt16BE(value.length, 1);
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), length, Buffer.from(value)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
