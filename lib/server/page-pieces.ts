import { promisify } from "node:util";
import { constants, crc32, deflateRaw } from "node:zlib";

/**
 * A text in which one word changes each time that it is sent, as the nonce of a policy does: what stands between its places is
 * made, and packed, once. The word is always of the same length.
 */
export type Pieces = {
  /** The bytes with this word: buffers that are shared by all answers, and must not be written to. */
  plain(word: string): Made;
  /** The same as one gzip member. */
  packed(word: string): Made;
};
type Made = { readonly chunks: readonly Buffer[]; readonly length: number };

const deflate = promisify(deflateRaw);

/** Each is deflated by itself and ends on a whole byte, so that a word can stand between any two as it is. */
const BY_ITSELF = { level: constants.Z_BEST_COMPRESSION, finishFlush: constants.Z_SYNC_FLUSH };
/** No name, no time, any system (RFC 1952). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
/** The last block, empty. */
const END = Buffer.from([3, 0]);

export async function cutAt(text: string, word: string): Promise<Pieces> {
  const pieces = text.split(word).map((piece) => Buffer.from(piece));
  const deflated = await Promise.all(pieces.map((piece) => deflate(piece, BY_ITSELF)));
  const wordLength = Buffer.byteLength(word);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0) + (pieces.length - 1) * wordLength;
  const packedLength =
    deflated.reduce((sum, piece) => sum + piece.length, 0) + (pieces.length - 1) * (5 + wordLength) + 20;
  const sums = pieces.map((piece) => ({ sum: crc32(piece), over: zerosOf(piece.length) }));
  const overWord = zerosOf(wordLength);

  function sumWith(word: Buffer): number {
    const wordSum = crc32(word);
    return sums.reduce((sum, piece, at) => {
      const before = at === 0 ? 0 : (multiply(overWord, sum) ^ wordSum) >>> 0;
      return (multiply(piece.over, before) ^ piece.sum) >>> 0;
    }, 0);
  }

  return {
    plain(word) {
      const bytes = Buffer.from(word);
      return { chunks: pieces.flatMap((piece, at) => (at === 0 ? [piece] : [bytes, piece])), length };
    },
    packed(word) {
      const bytes = Buffer.from(word);
      const stored = storedBlock(bytes);
      const trailer = Buffer.alloc(8);
      trailer.writeUInt32LE(sumWith(bytes), 0);
      trailer.writeUInt32LE(length % 2 ** 32, 4);
      const middle = deflated.flatMap((piece, at) => (at === 0 ? [piece] : [stored, piece]));
      // Small enough to send as one piece, which is faster than many.
      const whole = Buffer.concat([GZIP_HEADER, ...middle, END, trailer], packedLength);
      return { chunks: [whole], length: packedLength };
    },
  };
}

/** As it is, in a block that is not the last one: its length stands there twice (RFC 1951, 3.2.4). */
function storedBlock(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(~bytes.length & 0xffff, 3);
  return Buffer.concat([head, bytes]);
}

/**
 * The sum of two texts from theirs, as zlib's crc32_combine does it: a checksum is a polynomial over two elements, and what
 * follows a text multiplies its own by x for each bit. To sum a megabyte again for each visitor takes a millisecond.
 */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product >>> 0;
}

/** x to the power of the bits in so many bytes. */
function zerosOf(bytes: number): number {
  let result = ONE;
  let square = 0x00800000; // x to the eighth: one byte
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = multiply(square, result);
    square = multiply(square, square);
  }
  return result;
}
