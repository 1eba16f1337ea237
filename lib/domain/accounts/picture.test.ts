import { expect, test } from "vitest";
import { jpeg, png, pngPart, webp } from "@/e2e/fixtures/pictures";
import { AppError } from "@/lib/contract/errors";
import { readPicture } from "./picture";

/** The refusal's message; null for an accepted picture. */
function findRefusal(bytes: Buffer): string | null {
  try {
    readPicture(bytes);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
const text = (content: string) => Buffer.from(content, "latin1");

test.each([
  ["image/png", png(120, 40)],
  ["image/jpeg", jpeg(120, 40)],
  ["image/webp", webp(120, 40)],
  ["image/webp", webp(120, 40, { flags: 0x10 })],
])("%s is recognized by its bytes, with its size, and stored unchanged", (type, bytes) => {
  expect(readPicture(bytes)).toEqual({ type, width: 120, height: 40, bytes });
});

test("parts that are not rendered are removed: comments, locations, previews, and files appended or embedded", () => {
  const html = "<script>alert(1)</script>";
  const pictures = [
    png(120, 40, { parts: [pngPart("tEXt", text(`Comment\0${html}`)), pngPart("eXIf", text("GPS"))] }),
    Buffer.concat([png(), text(html)]),
    jpeg(120, 40, [
      [0xe0, `JFIF\0${html}`],
      [0xe1, `Exif\0\0GPS ${html}`],
      [0xfe, html],
    ]),
    Buffer.concat([jpeg(), text(html)]),
    webp(120, 40, {
      flags: 0x1c,
      parts: [
        ["EXIF", text("GPS")],
        ["XMP ", text(html)],
      ],
    }),
    Buffer.concat([webp(), text(`PK\u0003\u0004${html}`)]),
  ];
  for (const picture of pictures) {
    const { bytes, width } = readPicture(picture);
    expect([width, bytes.includes("script"), bytes.includes("GPS"), bytes.includes("PK")]).toEqual([
      120,
      ...[false, false, false],
    ]);
    expect(bytes.length).toBeLessThan(picture.length);
    // The result is a complete picture.
    expect(readPicture(bytes).bytes).toEqual(bytes);
  }
});

test("an SVG is refused with its own message, and so is any other type of file", () => {
  for (const svg of ["<svg onload='x'/>", '\n <?xml version="1.0"?><svg/>', "<!DOCTYPE svg><svg/>", "<!-- --><svg/>"])
    expect(findRefusal(text(svg))).toMatch(/^SVG files can contain scripts/);
  for (const other of ["", "<html>", "GIF89a", "%PDF-1.7", "RIFF\0\0\0\0AVI ", "BM", "\x89PNG", "\xff\xd8", "MZ"])
    expect(findRefusal(text(other)), other).toMatch(/not a PNG, JPEG or WebP/);
  // An HTML page with a PNG signature.
  expect(findRefusal(Buffer.concat([png().subarray(0, 8), text("<html><script>")]))).toMatch(/damaged/);
});

test("a picture truncated at any byte is refused, and nothing throws", () => {
  for (const whole of [png(), jpeg(120, 40, [[0xe1, "Exif"]]), webp(), webp(9, 9, { flags: 0x10 })])
    for (let length = 12; length < whole.length; length++)
      expect(findRefusal(whole.subarray(0, length)), `${length} of ${whole.length}`).toMatch(/damaged|not a PNG/);
});

test("a picture with any byte changed is accepted or refused, and nothing throws", () => {
  for (const whole of [png(), jpeg(), webp(120, 40, { flags: 0x10 })])
    for (let at = 0; at < whole.length; at++)
      for (const value of [0, 0x7f, 0xff]) {
        const changed = Buffer.from(whole);
        changed[at] = value;
        expect(() => findRefusal(changed)).not.toThrow();
      }
});

test("size is checked by the header alone, so nothing is decompressed, and a picture without pixels is refused", () => {
  for (const make of [png, jpeg, webp]) {
    expect(findRefusal(make(2_000, 2_000))).toBeNull();
    expect(findRefusal(make(2_001, 10))).toMatch(/at most 2000/);
    expect(findRefusal(make(10, 16_000))).toMatch(/at most 2000/);
  }
  expect(findRefusal(png(0xffffffff, 0x7fffffff))).toMatch(/at most 2000/);
  expect(findRefusal(png(0, 10))).toMatch(/damaged/);
  expect(findRefusal(jpeg(10, 0))).toMatch(/damaged/);
});

test("a PNG with a wrong checksum or an unknown critical chunk, and a WebP with two sizes, count as damaged", () => {
  const broken = png();
  broken[40] = (broken[40] ?? 0) ^ 1;
  expect(findRefusal(broken)).toMatch(/damaged/);
  expect(findRefusal(png(9, 9, { parts: [pngPart("EVIL", text("x"))] }))).toMatch(/damaged/);
  expect(findRefusal(webp(9, 9, { flags: 0, parts: [["VP8L", webp(8, 8).subarray(20, 32)]] }))).toMatch(/damaged/);
  expect(findRefusal(webp(9, 9, { flags: 0x02 }))).toMatch(/animated/);
});

test("a second header, which could have another size than the checked one, is refused", () => {
  const header = (width: number) => png(width, 9).subarray(8, 33);
  expect(findRefusal(png(9, 9, { parts: [header(9)] }))).toMatch(/damaged/);
  expect(findRefusal(png(9, 9, { parts: [header(60_000)] }))).toMatch(/damaged/);
  const canvas = webp(9, 9, { flags: 0 }).subarray(20, 30);
  expect(findRefusal(webp(9, 9, { flags: 0, parts: [["VP8X", canvas]] }))).toMatch(/damaged/);
});

test("a JPEG with thousands of tiny scans, each of which costs viewers a pass over all pixels, is refused", () => {
  const whole = jpeg(2_000, 2_000);
  const scan = whole.subarray(whole.lastIndexOf(Buffer.from("ffda", "hex")), -2);
  const of = (scans: number) =>
    Buffer.concat([whole.subarray(0, -2), ...Array.from({ length: scans - 1 }, () => scan), whole.subarray(-2)]);
  expect(findRefusal(of(64))).toBeNull();
  expect(findRefusal(of(65))).toMatch(/damaged/);
  expect(findRefusal(of(10_000))).toMatch(/damaged/);
});

test("a picture whose bytes contain a card number is refused", () => {
  const held = png(9, 9, { parts: [pngPart("PLTE", text("4242 4242 4242 4242     "))] });
  expect(findRefusal(held)).toMatch(/card number/);
});
