import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import {
  CARD_NUMBER_MARK,
  findCardNumber,
  holdsCardNumber,
  holdsNumber,
  keepableText,
  maskCardNumbers,
} from "./card-numbers";
import { encodeId, ID_PREFIX, type IdKind } from "./ids";

const NUMBER = "4242424242424242";
const GROUPS = ["4242", "4242", "4242", "4242"];
const fullWidth = NUMBER.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
const inScript = (zero: number) => NUMBER.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

const SPELLINGS: [string, string][] = [
  ["as it is", NUMBER],
  ...[" ", "-", ".", "/", "_", "%20", "%3A%3A", "%2520", "+", "\u00a0", "\n", ", ", " / ", "\u2013", "::"].map(
    (separator): [string, string] => [`${JSON.stringify(separator)} between groups`, GROUPS.join(separator)],
  ),
  ...[" ", "-", "\u200b", "."].map((separator): [string, string] => [
    `${JSON.stringify(separator)} between digits`,
    Array.from(NUMBER).join(separator),
  ]),
  ["full-width", fullWidth],
  ["Arabic-Indic", inScript(0x0660)],
  ["mathematical", inScript(0x1d7d8)],
  [
    "scripts mixed",
    Array.from(NUMBER)
      .map((digit, at) => (at % 2 ? digit : String.fromCodePoint(0xff10 + Number(digit))))
      .join(""),
  ],
  ["on keys", NUMBER.replace(/\d/g, "$&\ufe0f\u20e3")],
  ["accents, joiners and marks of direction between digits", Array.from(NUMBER).join("\u0301\u200d\u202e\u2066")],
  ["American Express", "3782 822463 10005"],
  ["Mastercard of the second range", "2223 0031 2200 3222"],
  ["nineteen digits of UnionPay", "6205500000000000004"],
  ["JCB", "3530111333300000"],
];

const around = (spelled: string) => [
  spelled,
  `paid with ${spelled} today`,
  `/v1/${spelled}/refund`,
  `3 ${spelled}`,
  `"${spelled}"`,
];

test.each(SPELLINGS)("a number is masked, %s", (_, spelled) => {
  for (const text of around(spelled)) {
    expect(maskCardNumbers(text), text).toContain(CARD_NUMBER_MARK);
    expect(maskCardNumbers(text)).not.toContain(spelled.slice(-4));
  }
});

/** Separators that are never used in card numbers, only in lists of other numbers. */
const UNUSUAL = /^"(?:\/|_|\+|\\n|, | \/ |::)" between/;

test.each([
  ...SPELLINGS.filter(([name]) => !UNUSUAL.test(name)),
  ["Diners Club in a row", "36227206271667"],
  ["Diners Club", "3852 000002 3237"],
  ["American Express in a row", "378282246310005"],
  ["Discover", "6011-1111-1111-1117"],
  ["RuPay", "8172 0000 0000 0005"],
  ["Maestro of 19 digits", "6304.0000.0000.0000.000"],
  ["Devanagari in groups", "४२४२ ४२४२ ४२४२ ४२४२"],
  ["Persian in groups", "۴۲۴۲-۴۲۴۲-۴۲۴۲-۴۲۴۲"],
])("a number is refused, %s", (_, spelled) => {
  for (const text of around(spelled)) expect(holdsCardNumber(text), text).toBe(true);
});

test("the last four digits of a refused number are named", () => {
  expect(findCardNumber("Visa 4242 4242 4242 4242")).toBe("4242");
  expect(findCardNumber("Visa ٤٠٠٠٠٥٦٦٥٥٦٦٥٥٥٦")).toBe("5556");
  expect(findCardNumber("Visa …4242")).toBeNull();
});

test.each(SPELLINGS.filter(([, spelled]) => !/^[23456]\d{3}\s?\d{3}/.test(spelled) || spelled.startsWith("4242")))(
  "the number of a request's own card is found, %s",
  (_, spelled) => {
    expect(holdsNumber(`order ${spelled}9`, NUMBER)).toBe(true);
    expect(holdsNumber(spelled, "4000000000000002")).toBe(false);
  },
);

test.each([
  ["a security code directly after it", `${NUMBER}123`, ""],
  ["an expiry and a code after it", `${NUMBER} 12/29 123`, ""],
  ["an expiry and a code before it", `12/29 123 ${NUMBER}.`, "."],
  ["other digits directly before it", `00${NUMBER}`, ""],
  ["another number after it", `${NUMBER} ${NUMBER}`, ""],
  ["a security code, when a part of the number is a shorter one,", "4501812616167377773 12/2029 987", ""],
])("%s is masked with it", (_, text, rest) => {
  expect(maskCardNumbers(text)).toBe(CARD_NUMBER_MARK + rest);
});

test("codes and words are not spellings of a card number", () => {
  for (const text of [Buffer.from(NUMBER).toString("base64"), "四二".repeat(8), "Ⅳ".repeat(16), "four two ".repeat(8)])
    expect(maskCardNumbers(text)).toBe(text);
});

test.each(["04242424-2424-4242-8424-242424242424", "42424242-4242-4242-9242-424242424242"])(
  "a number in the form of a UUID that is none of ours is masked: %s",
  (text) => expect(maskCardNumbers(`order ${text}`)).toContain(CARD_NUMBER_MARK),
);

test("a number across the length limit is masked, and the truncation is visible", () => {
  for (let before = 80; before < 100; before++) {
    const kept = keepableText(`${"a".repeat(before)} ${GROUPS.join(" ")}`, 100);
    expect(kept.length).toBeLessThanOrEqual(100);
    expect(kept).not.toContain("4242");
  }
  const wide = `${Array.from(NUMBER).join("------")} and `.repeat(4);
  for (let before = 440; before < 620; before++) {
    const kept = keepableText(`${wide.padEnd(before, "a")} ${NUMBER}${"a".repeat(300)}`, 300);
    expect(kept.replaceAll(CARD_NUMBER_MARK, ""), `after ${before}`).not.toMatch(/\d/);
  }
  expect(keepableText("a".repeat(101), 100)).toBe(`${"a".repeat(99)}…`);
  expect(keepableText("x\u0000\ud800", 100)).toBe("x\uFFFD\uFFFD");
});

const MANY = 5_000;
const digits = (length: number) => Array.from({ length }, () => randomInt(10)).join("");

test("the number of a request's own card is found in any spelling, and no other digits are", () => {
  const spellings = [
    NUMBER,
    GROUPS.join("-"),
    `x${NUMBER}9`,
    GROUPS.join("%20"),
    GROUPS.join("%3B"),
    GROUPS.join("%257C"),
    fullWidth,
    `é ${GROUPS.join(" ")}`,
  ];
  for (const text of spellings) expect(holdsNumber(text, NUMBER), text).toBe(true);
  for (const text of ["2026-11-20T09:14:02.118Z", "4242424242424", "", "é 4242", `${GROUPS.join("1")}`])
    expect(holdsNumber(text, NUMBER), text).toBe(false);
});

test("our own ids and timestamps are not masked", { timeout: 60_000 }, () => {
  const kinds = Object.keys(ID_PREFIX) as IdKind[];
  for (let i = 0; i < MANY; i++) {
    const time = Date.UTC(2024, 0, 1) + randomInt(2 ** 37);
    const hex = time.toString(16).padStart(12, "0");
    const uuid = `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`;
    const text = `{"time":"${new Date(time).toISOString()}","id":"${encodeId(kinds[i % kinds.length] as IdKind, uuid)}","uuid":"${uuid}","ms":${time},"amount":${randomInt(999_999_999)}}`;
    expect(maskCardNumbers(text)).toBe(text);
  }
});

const group = (text: string, size = 4) => text.replace(new RegExp(`(.{${size}})(?=.)`, "g"), "$1 ");
const luhn = (text: string) => Array.from({ length: 10 }, (_, last) => `${text}${last}`).find(isValid) as string;
const isValid = (text: string) =>
  Array.from(text).reduceRight((sum, digit, at) => {
    const value = Number(digit) * ((text.length - at) % 2 === 0 ? 2 : 1);
    return sum + (value > 9 ? value - 9 : value);
  }, 0) %
    10 ===
  0;
function iban(country: string, account: string): string {
  const number = Array.from(`${account}${country}00`, (one) => Number.parseInt(one, 36)).join("");
  return `${country}${String(98n - (BigInt(number) % 97n)).padStart(2, "0")}${account}`;
}

/** Kinds of text that shops write, with random digits each time. */
const NOT_CARDS: Record<string, () => string> = {
  "a German IBAN": () => `Refund to ${group(iban("DE", digits(18)))}`,
  "an Austrian IBAN": () => group(iban("AT", digits(16))),
  "a Spanish IBAN in a row": () => `IBAN: ${iban("ES", digits(20))}.`,
  "a French IBAN, in small letters": () => group(iban("FR", digits(23))).toLowerCase(),
  "a British IBAN": () => group(iban("GB", `BARC${digits(14)}`)),
  "a Belgian IBAN with dashes": () => group(iban("BE", digits(12))).replaceAll(" ", "-"),
  "a Discord user": () => `Discord user ${1 + randomInt(9)}${digits(17)}`,
  "a snowflake": () => `1${digits(18)}`,
  "two phone numbers": () => `+49 ${digits(3)} ${digits(7)} / +49 ${digits(3)} ${digits(7)}`,
  "two phone numbers in a row": () => `${digits(8)} ${digits(8)}`,
  "a long phone number": () => `+${1 + randomInt(9)}${digits(14)}`,
  "an order": () => `order ${digits(16)}`,
  "a German order": () => `Bestellung Nr. ${digits(16)}`,
  "an order of Amazon": () => `Amazon order ${digits(3)}-${digits(7)}-${digits(7)}`,
  "an order of eBay": () => `${digits(2)}-${digits(5)}-${digits(5)}`,
  "an order of AliExpress": () => `AliExpress order 30${digits(14)}`,
  "a parcel of FedEx": () => `FedEx ${digits(15)}`,
  "a parcel of USPS": () => `USPS ${group(`94${digits(20)}`)}`,
  "a parcel of DHL": () => `JD01${digits(16)}`,
  "a parcel of Cainiao": () => `LP${digits(14)}`,
  "a Swiss reference": () => `${digits(2)} ${group(digits(25), 5)}`,
  "a creditor's reference": () => `RF18 ${group(digits(16))}`,
  "several invoices": () => `Invoices ${digits(6)}, ${digits(6)}, ${digits(6)}`,
  "several tickets": () => `Tickets ${group(digits(16))}`,
  "several seats": () => `Seats ${group(digits(16), 2)}`,
  "a list of rooms": () => `${digits(4)}, ${digits(4)}, ${digits(4)}, ${digits(4)}`,
  "a French company": () => `SIRET ${luhn(`38${digits(11)}`)}`,
  "a French company in groups": () => `3${digits(2)} ${digits(3)} ${digits(3)} ${digits(5)}`,
  "a phone's IMEI": () => `IMEI ${luhn(`35${digits(12)}`)}`,
  "a SIM card": () => `SIM ${luhn(`8949${digits(14)}`)}`,
  "a fraction": () => `score 0.${digits(16)}`,
  "a time in milliseconds": () => `at 17${digits(11)}`,
  "a hash": () => `Order ${randomBytes(16).toString("hex")}`,
  "a UUID": () => randomUUID(),
  "a phone and an order": () => `+49 170 ${digits(7)}, order ${digits(10)}`,
  "an article": () => `3 x ${digits(4)} at ${digits(2)}.99, EAN ${digits(13)}`,
};

test.each(Object.entries(NOT_CARDS))("at most one in a thousand is mistaken for a card: %s", (_, make) => {
  const refused = Array.from({ length: MANY }, make).filter(holdsCardNumber);
  expect(refused.length, refused[0]).toBeLessThanOrEqual(MANY / 1_000);
});

test("texts that were once rejected by mistake are accepted", () => {
  for (const text of [
    "Discord user 512345678901234602",
    "Refund to IBAN DE35 3704 0044 0532 0130 02",
    "Refund to FR57 0138 6831 9150 3851 2559 092",
    "+49 710 3177291 / +49 500 2501968",
    "Invoices 233384, 105212, 030160",
    "Amazon order 309-5900898-8082515",
    "Order f97e435076c45487417ce991028f5445",
    "e31bca11-8197-4099-8257-5101c81cecfb",
    "order 833d5514-5377-4098-8976-31edfed2258e, paid",
  ])
    expect(findCardNumber(text), text).toBeNull();
});

test("a number is rejected next to an expiry date, a code or unrelated words", () => {
  for (const text of [
    "4242 4242 4242 4242 12/29 123",
    "12/29 4242-4242-4242-4242",
    "4242 4242 4242 4242 123",
    "4242424242424242dec27",
    "4111111111111111feb2028 is my card",
    "order 17, card 4242424242424242",
    "order 4242 4242 4242 4242",
    "order 4242424242424242",
    "my number is 4242424242424242. Thanks",
  ])
    expect(holdsCardNumber(text), text).toBe(true);
});

test("the search is linear in the length of any text", { timeout: 60_000 }, () => {
  const cpuMs = (text: string) => {
    const before = process.cpuUsage();
    maskCardNumbers(text);
    return process.cpuUsage(before).user / 1000;
  };
  for (const unit of [
    "4",
    "42",
    NUMBER,
    "%20",
    "%204",
    "4 ",
    "4x",
    "漢",
    "４",
    "4\u0301",
    "\ud800",
    "2026-11-20T13:14:1",
    " and 4",
  ])
    expect(cpuMs(unit.repeat(Math.ceil(2e5 / unit.length))), JSON.stringify(unit)).toBeLessThan(1_000);
});
