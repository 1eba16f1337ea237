import { crc32 } from "node:zlib";
import { type LogoType, MAX_LOGO_SIDE } from "@/lib/contract/accounts/logo";
import { holdsCardNumber } from "@/lib/contract/card-numbers";
import { refuseField } from "./reauthentication";

/** A picture as it is stored: only the parts that affect its rendering. */
export type Picture = { type: LogoType; width: number; height: number; bytes: Buffer };
type Size = { width: number; height: number };
type Parts = Size & { kept: Buffer[] };

const UNSUPPORTED_TYPE = "This file is not a PNG, JPEG or WebP picture. Export the logo in one of these formats.";
const SVG = "SVG files can contain scripts, so we don't accept them. Export the logo as PNG, JPEG or WebP.";
const BROKEN = "This picture is damaged or incomplete. Export it again and upload the new file.";
const ANIMATED = "This picture is animated. Upload a still picture.";
const TOO_LARGE = `The logo can be at most ${MAX_LOGO_SIDE} × ${MAX_LOGO_SIDE} pixels. Make it smaller, and upload it again.`;
const CONTAINS_CARD_DIGITS =
  "This picture file contains what looks like a card number. Export it again without any text in the file.";

const refused = (sentence: string) => refuseField("image", sentence);

/**
 * Reads an image's type and size from its bytes. Nothing is decoded, so a decompression bomb costs no more
 * than its headers. Comments, camera data, previews and trailing bytes are removed, and with them any second
 * file hidden in the same bytes. Throws for anything that is not an acceptable image.
 */
export function readPicture(file: Buffer): Picture {
  const { type, read } = detectType(file);
  let parts: Parts;
  try {
    parts = read(file);
  } catch (error) {
    // A read past the end of the file.
    if (error instanceof RangeError) throw refused(BROKEN);
    throw error;
  }
  const { width, height, kept } = parts;
  if (width === 0 || height === 0) throw refused(BROKEN);
  if (width > MAX_LOGO_SIDE || height > MAX_LOGO_SIDE) throw refused(TOO_LARGE);
  const bytes = Buffer.concat(kept);
  if (containsCardDigits(bytes)) throw refused(CONTAINS_CARD_DIGITS);
  return { type, width, height, bytes };
}

function detectType(file: Buffer): { type: LogoType; read: (file: Buffer) => Parts } {
  if (file.subarray(0, 8).equals(PNG)) return { type: "image/png", read: readPng };
  if (file.subarray(0, 3).equals(JPEG)) return { type: "image/jpeg", read: readJpeg };
  if (readTag(file, 0) === "RIFF" && readTag(file, 8) === "WEBP") return { type: "image/webp", read: readWebp };
  const isSvg = /^(?:\ufeff)?\s*(?:<\?xml|<!--|<!doctype svg|<svg)/i.test(file.subarray(0, 200).toString("utf8"));
  throw refused(isSvg ? SVG : UNSUPPORTED_TYPE);
}

const readTag = (bytes: Buffer, at: number) => bytes.toString("latin1", at, at + 4);

/**
 * Uncompressed bytes can contain digits as text; in compressed ones, thirteen in a row by chance are
 * vanishingly rare.
 */
const containsCardDigits = (bytes: Buffer): boolean =>
  (bytes.toString("latin1").match(/\d[\d -]{11,38}\d/g) ?? []).some(holdsCardNumber);

/** `length` bytes starting at `at`. Throws RangeError if there are fewer. */
function slice(bytes: Buffer, at: number, length: number): Buffer {
  if (at + length > bytes.length) throw new RangeError("the bytes end before");
  return bytes.subarray(at, at + length);
}

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
/** The chunks that draw the image; every other one is optional or unknown to browsers. */
const PNG_CHUNKS = new Set(["IHDR", "PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "IDAT", "IEND"]);

function readPng(file: Buffer): Parts {
  const kept: Buffer[] = [PNG];
  const header = slice(file, PNG.length, 25);
  if (readTag(header, 4) !== "IHDR" || header.readUInt32BE(0) !== 13) throw refused(BROKEN);
  let hasPixels = false;
  for (let at = PNG.length; ; ) {
    const length = file.readUInt32BE(at);
    const part = slice(file, at, length + 12);
    const name = readTag(part, 4);
    // A second header could have another size, and viewers differ in which one they use.
    if (name === "IHDR" && at > PNG.length) throw refused(BROKEN);
    if (crc32(part.subarray(4, length + 8)) !== part.readUInt32BE(length + 8)) throw refused(BROKEN);
    if (PNG_CHUNKS.has(name)) kept.push(part);
    else if (/^[A-Z]/.test(name)) throw refused(BROKEN);
    if (name === "IDAT") hasPixels = true;
    if (name === "IEND") break;
    at += part.length;
  }
  if (!hasPixels) throw refused(BROKEN);
  return { width: header.readUInt32BE(8), height: header.readUInt32BE(12), kept };
}

const JPEG = Buffer.from("ffd8ff", "hex");
const [START, END, TABLES_FROM, SCAN] = [0xd8, 0xd9, 0xc4, 0xda];
/** Baseline, extended and progressive: the frame types that browsers support. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2]);
/** Huffman tables, quantization tables, restart interval. */
const TABLES = new Set([TABLES_FROM, 0xdb, 0xdd]);
const [APP0, APP14] = [0xe0, 0xee];
/**
 * A progressive image has about ten. A scan can be a few bytes long, yet makes every viewer process all
 * pixels.
 */
const MAX_SCANS = 64;

function readJpeg(file: Buffer): Parts {
  const kept: Buffer[] = [Buffer.from([0xff, START])];
  let size: Size | null = null;
  let scans = 0;
  for (let at = 2; ; ) {
    if (file.readUInt8(at) !== 0xff) throw refused(BROKEN);
    const marker = file.readUInt8(at + 1);
    // Any number of fill bytes (0xff) may precede a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === END) break;
    const part = slice(file, at, 2 + file.readUInt16BE(at + 2));
    if (part.length < 4) throw refused(BROKEN);
    at += part.length;
    if (FRAMES.has(marker)) {
      if (size !== null) throw refused(BROKEN);
      size = { height: part.readUInt16BE(5), width: part.readUInt16BE(7) };
    } else if (marker >= 0xc0 && marker <= 0xcf && marker !== TABLES_FROM) throw refused(BROKEN);
    if (FRAMES.has(marker) || TABLES.has(marker) || marker === SCAN || isColorSegment(marker, part)) kept.push(part);
    if (marker !== SCAN) continue;
    if (size === null) throw refused(BROKEN);
    const end = findScanEnd(file, at);
    kept.push(file.subarray(at, end));
    at = end;
    scans += 1;
    if (scans > MAX_SCANS) throw refused(BROKEN);
  }
  if (size === null || scans === 0) throw refused(BROKEN);
  kept.push(Buffer.from([0xff, END]));
  return { ...size, kept };
}

/** Segments that define the color space: JFIF's, if it has no thumbnail, and Adobe's. */
const isColorSegment = (marker: number, part: Buffer): boolean =>
  (marker === APP0 && part.length === 18 && readTag(part, 4) === "JFIF") ||
  (marker === APP14 && part.length === 16 && readTag(part, 4) === "Adob");

/**
 * The end of a scan's compressed data: the first marker other than a stuffed byte, fill byte or restart
 * marker.
 */
function findScanEnd(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const next = file.readUInt8(at + 1);
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw refused(BROKEN);
}

/** Flag bits of a VP8X header. */
const [ALPHA, ANIMATION] = [0x10, 0x02];
const WEBP_CHUNKS = new Set(["VP8X", "ALPH", "VP8 ", "VP8L"]);

function readWebp(file: Buffer): Parts {
  const end = 8 + file.readUInt32LE(4);
  if (end > file.length) throw refused(BROKEN);
  const kept: Buffer[] = [];
  let size: Size | null = null;
  let canvas: Size | null = null;
  for (let at = 12; at < end; ) {
    const name = readTag(file, at);
    const length = file.readUInt32LE(at + 4);
    const part = slice(file, at, 8 + length + (length % 2));
    at += part.length;
    if (name === "ANIM" || name === "ANMF") throw refused(ANIMATED);
    if (!WEBP_CHUNKS.has(name)) continue;
    if (name === "VP8X") {
      if (canvas !== null) throw refused(BROKEN);
      const flags = part.readUInt8(8);
      if ((flags & ANIMATION) !== 0) throw refused(ANIMATED);
      canvas = { width: part.readUIntLE(12, 3) + 1, height: part.readUIntLE(15, 3) + 1 };
      const still = Buffer.from(part);
      // Clear the flags of the metadata that is removed.
      still.writeUInt8(flags & ALPHA, 8);
      kept.push(still);
      continue;
    }
    if (name !== "ALPH") {
      if (size !== null) throw refused(BROKEN);
      size = name === "VP8L" ? readLosslessSize(part) : readLossySize(part);
    }
    kept.push(part);
  }
  if (size === null) throw refused(BROKEN);
  if (canvas !== null && (canvas.width !== size.width || canvas.height !== size.height)) throw refused(BROKEN);
  const head = Buffer.from("RIFF\0\0\0\0WEBP", "latin1");
  head.writeUInt32LE(4 + kept.reduce((sum, { length }) => sum + length, 0), 4);
  return { ...size, kept: [head, ...kept] };
}

function readLosslessSize(part: Buffer): Size {
  if (part.readUInt8(8) !== 0x2f) throw refused(BROKEN);
  const bits = part.readUInt32LE(9);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** Only a key frame is a complete image. */
function readLossySize(part: Buffer): Size {
  if ((part.readUInt8(8) & 1) !== 0 || part.readUIntBE(11, 3) !== 0x9d012a) throw refused(BROKEN);
  return { width: part.readUInt16LE(14) & 0x3fff, height: part.readUInt16LE(16) & 0x3fff };
}
