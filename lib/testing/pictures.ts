/** Pictures as tests upload them: whole ones of each kind, made byte by byte. */
import { crc32, deflateSync } from "node:zlib";

/** A part of a PNG with its right checksum. */
export function pngPart(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length, 0);
  head.write(name, 4, "latin1");
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(Buffer.concat([head.subarray(4), data])), 0);
  return Buffer.concat([head, data, sum]);
}

const PNG = Buffer.from("89504e470d0a1a0a", "hex");

/** A PNG of one colour that says it is so large; `parts` stand before its pixels, of which there need not be as many. */
export function png(width = 120, height = 40, { parts = [] as Buffer[], rgb = "1f6feb" } = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Math.min(height, 64);
  const row = Buffer.concat([Buffer.from([0]), Buffer.from(rgb.repeat(Math.min(width, 256)), "hex")]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: rows }, () => row)));
  return Buffer.concat([
    ...[PNG, pngPart("IHDR", header), ...parts],
    ...[pngPart("IDAT", pixels), pngPart("IEND", Buffer.alloc(0))],
  ]);
}

const segment = (marker: number, data: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};

/** A JPEG by its structure; `parts` are application data: marker and text. */
export function jpeg(width = 120, height = 40, parts: readonly [marker: number, text: string][] = []): Buffer {
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  return Buffer.concat([
    Buffer.from("ffd8", "hex"),
    ...parts.map(([marker, text]) => segment(marker, Buffer.from(text, "latin1"))),
    segment(0xdb, Buffer.alloc(65, 1)),
    segment(0xc0, frame),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    // Pixels may hold what looks like a marker and is none.
    Buffer.from("12ff00ffd034ffd9", "hex"),
  ]);
}

/** A WebP by its structure; with `flags` an extended one, whose `parts` stand behind the picture. */
export function webp(
  width = 120,
  height = 40,
  { flags = null as number | null, parts = [] as [name: string, data: Buffer][] } = {},
): Buffer {
  const part = (name: string, data: Buffer) => {
    const head = Buffer.alloc(8);
    head.write(name, 0, "latin1");
    head.writeUInt32LE(data.length, 4);
    return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
  };
  const pixels = Buffer.alloc(12);
  pixels.set([0x2f]);
  pixels.writeUInt32LE((width - 1) | ((height - 1) << 14), 1);
  const canvas = Buffer.alloc(10);
  canvas.writeUInt8(flags ?? 0, 0);
  canvas.writeUIntLE(width - 1, 4, 3);
  canvas.writeUIntLE(height - 1, 7, 3);
  const body = Buffer.concat([
    ...(flags === null ? [] : [part("VP8X", canvas)]),
    part("VP8L", pixels),
    ...parts.map(([name, data]) => part(name, data)),
  ]);
  const head = Buffer.from("RIFF\0\0\0\0WEBP", "latin1");
  head.writeUInt32LE(4 + body.length, 4);
  return Buffer.concat([head, body]);
}
