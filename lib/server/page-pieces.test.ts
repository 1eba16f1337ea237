import { randomBytes } from "node:crypto";
import { crc32, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { cutAt } from "./page-pieces";

const word = () => randomBytes(18).toString("base64");
const text = (made: { chunks: readonly Buffer[] }) => Buffer.concat([...made.chunks]);

const RANDOM = [200_000, 1, 70_000].map((bytes) => randomBytes(bytes).toString("base64"));

/** Texts of every shape: words at both ends and beside each other, none, much that repeats across a word, long and random. */
const SHAPES: readonly ((word: string) => string)[] = [
  (w) => w,
  (w) => `${w}${w}`,
  (w) => `a${w}`,
  (w) => `${w}ä`,
  () => "without any",
  () => "",
  (w) => `<script nonce="${w}">same</script>`.repeat(300),
  (w) => RANDOM.join(w),
];

test.each(SHAPES.map((shape, at) => [at, shape] as const))(
  "shape %i is the whole text with each word, packed or not",
  async (_at, shape) => {
    const first = word();
    const pieces = await cutAt(shape(first), first);
    for (const next of [first, word(), word()]) {
      const wanted = Buffer.from(shape(next));
      const [plain, packed] = [pieces.plain(next), pieces.packed(next)];
      expect(text(plain).equals(wanted)).toBe(true);
      expect(plain.length).toBe(wanted.length);
      expect(text(packed)).toHaveLength(packed.length);
      // What unpacks it compares the checksum and the length at its end.
      expect(gunzipSync(text(packed)).equals(wanted)).toBe(true);
      expect(text(packed).readUInt32LE(packed.length - 8)).toBe(crc32(wanted));
    }
  },
);

test("the pieces are shared, so that a visitor who reads slowly keeps no page of their own in memory", async () => {
  const first = word();
  const pieces = await cutAt(`${"a".repeat(50_000)}${first}${"b".repeat(50_000)}`, first);
  const [one, other] = [pieces.plain(word()), pieces.plain(word())];
  expect(one.chunks.filter((chunk) => other.chunks.includes(chunk)).map((chunk) => chunk.length)).toEqual([
    50_000, 50_000,
  ]);
});
