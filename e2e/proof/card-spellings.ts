import { seededUint32 } from "@/lib/seeded-random";

/** Returns a whole number below the limit; the sequence depends only on the seed. */
export type Random = (limit: number) => number;

export function seededBelow(seed: number): Random {
  const next = seededUint32(seed);
  return (limit) => next() % limit;
}

/** A written number and the text around it. `front` and `back` may be masked with it; the rest must be. */
export type Written = {
  readonly front: string;
  readonly number: string;
  readonly back: string;
  /** True if the security code follows the number. */
  readonly hasCode: boolean;
};

/** One way to write a number, with the security code where the spelling includes it. */
export type Spelling = {
  readonly name: string;
  readonly write: (number: string, code?: string) => Written;
  /** True if people write cards this way: free text with the number is then refused. */
  readonly isUsual: boolean;
};

/** Placeholder for the security code in a spelling. */
const CODE = "123";

const SEPARATORS = [
  ...["", "", " ", "-", ".", "/", ":", "_", "|", ",", ";", "+", "#", "\t", "\n", "%20"],
  ...[" - ", " / ", ", ", "::", "\u00a0", "\u2009", "\u2013", "\u00b7", "\u3000"],
];
const USUAL = [" ", "-", ".", " - ", "\u00a0", "\u2009", "\u2013", "\u3000"];
/** ASCII twice as often as Arabic, Persian, Devanagari, Thai, full-width and bold digits. */
const ZEROS = [0x30, 0x30, 0x660, 0x6f0, 0x966, 0xe50, 0xff10, 0x1d7ce];
/** Joiners, direction marks, a soft hyphen, a BOM and an accent. */
const INVISIBLE = Array.from("\u200b\u200d\u200e\u202e\u2060\u00ad\ufeff\u0301");
const FRONTS = ["", "", "pan=", "card:", "Visa ", "#", "12/29 ", "123 ", '{"n":"'];
const BACKS = ["", "", "123", " 123", "/123", " 12/29", " 12/29 123", " exp 12/29", ".", '"}'];
/** With other digits at both ends, or directly attached, it may be part of a longer number. */
const isAlone = (front: string, back: string) => !back.startsWith("1") && !(/\d/.test(front) && /^ ?\d/.test(back));

const inScript = (digits: string, zero: number) =>
  Array.from(digits, (digit) => String.fromCodePoint(zero + Number(digit)));

export const PLAIN: Spelling = {
  name: "plain",
  write: (number) => ({ front: "", number, back: "", hasCode: false }),
  isUsual: true,
};

/** Generates a spelling with a random separator, group size and script, and perhaps invisible characters. */
export function madeSpelling(random: Random): Spelling {
  const one = <T>(among: readonly T[]) => among[random(among.length)] as T;
  const [separator, zero, front, back] = [one(SEPARATORS), one(ZEROS), one(FRONTS), one(BACKS)];
  const size = one([4, 4, 4, 1, 2, 3, 5, 6, 8]);
  const invisible = random(4) === 0 ? one(INVISIBLE) : "";
  return {
    name: JSON.stringify([separator, size, zero.toString(16), invisible, front, back]),
    isUsual: size === 4 && USUAL.includes(separator) && isAlone(front, back),
    write: (number, code = CODE) => ({
      front: front.replace(CODE, code),
      number: (number.match(new RegExp(`.{1,${size}}`, "g")) ?? [])
        .map((group) => inScript(group, zero).join(invisible))
        .join(separator),
      back: back.replace(CODE, code),
      hasCode: back.includes(CODE),
    }),
  };
}

/** Lengths and prefixes of the networks' numbers. */
const NETWORKS: readonly (readonly [length: number, prefix: string])[] = [
  ...([16, 16, 19] as const).map((length) => [length, "4"] as const),
  ...["51", "55", "2223", "2720", "3530", "6011", "65", "62", "2200"].map((prefix) => [16, prefix] as const),
  ...["34", "37"].map((prefix) => [15, prefix] as const),
  ...["36", "305"].map((prefix) => [14, prefix] as const),
  [19, "62"],
  [12, "6759"],
];

/** Length and prefix of a random network's numbers. */
export const someNetwork = (random: Random) => NETWORKS[random(NETWORKS.length)] as readonly [number, string];
