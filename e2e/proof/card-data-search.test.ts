import { createHash, randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { CARD_NUMBER_MARK } from "@/lib/contract/card-numbers";
import { passesLuhn } from "@/lib/contract/payments/words";
import { Canaries } from "./canaries";
import { canaryNumber, createSearch, formsOf, type Secret } from "./card-data-search";
import { seededBelow } from "./card-spellings";

const number = "4024007103939509";
const secrets: Secret[] = [
  { name: "card", text: number, kind: "number" },
  { name: "amex", text: "371449635398431", kind: "number" },
  { name: "long code", text: "907245163388", kind: "text" },
  { name: "code", text: "737", kind: "code" },
];
const search = createSearch(secrets);
const names = (text: string | Buffer) => [...new Set(search(Buffer.from(text)).map(({ name }) => name))];

test("every form of every secret is found, in the middle of anything", () => {
  for (const secret of secrets)
    for (const [form, bytes] of formsOf(secret)) {
      const found = search(Buffer.concat([Buffer.from("before \u0000"), bytes, Buffer.from("\u0000 after")]));
      expect(found.map((one) => `${one.name}: ${one.form}`)).toContain(`${secret.name}: ${form}`);
    }
});

test("a number is found in any notation that software writes", () => {
  for (const text of [
    `{"number":"${number}"}`,
    "4024 0071 0393 9509",
    "4024-0071-0393-9509",
    "3714 496353 98431",
    `?n=${encodeURIComponent("4024 0071 0393 9509")}`,
    Buffer.from(number).toString("hex").toUpperCase(),
    ...["", "x", "xy"].map((before) => Buffer.from(`${before}${number}{"and":"more"}`).toString("base64")),
    createHash("sha256").update(number).digest("hex"),
    `middle: 007103939509`,
  ])
    expect(names(text), text).not.toEqual([]);
});

test("a number is found as PostgreSQL's numeric: two bytes for each four digits", () => {
  const digits = Buffer.alloc(8);
  for (const [index, group] of [4024, 71, 393, 9509].entries()) digits.writeUInt16LE(group, index * 2);
  expect(names(Buffer.concat([Buffer.from("…"), digits]))).toEqual(["card"]);
});

test("a number is found in every spelling, as it was sent, as part of JSON or an address, and without one end", () => {
  const random = seededBelow(1);
  const canaries = new Canaries(random);
  const sent = Array.from({ length: 300 }, (_, turn) => canaries.spelled(`number ${turn}`));
  const search = createSearch(canaries.secrets);
  for (const [turn, { text, number }] of sent.entries()) {
    const alone = Array.from(canaries.secrets.find((one) => one.text === number)?.written?.number ?? "");
    const most = Math.ceil(alone.length * 0.9);
    const kept = [
      text,
      JSON.stringify({ text }),
      JSON.stringify({ line: JSON.stringify({ text }) }),
      text.toLowerCase(),
    ];
    const cut = [alone.slice(0, most), alone.slice(-most)].map((characters) => characters.join(""));
    for (const one of [...kept, ...cut, ...(text.isWellFormed() ? [encodeURIComponent(text)] : [])]) {
      const found = search(Buffer.from(`before ${one} after`)).map(({ name }) => name);
      expect(
        found.some((name) => name.startsWith(`number ${turn},`)),
        one,
      ).toBe(true);
    }
  }
});

test("a security code left beside the mask is found", () => {
  const canaries = new Canaries(seededBelow(4));
  const { code, text } = canaries.spelled("somewhere", (made) => / 12\/29 \d{3}$/.test(made));
  expect(text).toContain(` 12/29 ${code}`);
  const found = createSearch(canaries.secrets)(Buffer.from(`{"detail":"${CARD_NUMBER_MARK} 12/29 ${code}"}`));
  expect(found.map(({ form }) => form)).toEqual(["as it was sent"]);
});

test("permitted values are not mistaken for the number, nor three digits for a code", () => {
  expect(names(`{"bin":"402400","last4":"9509","amount":737,"cvv_result":"M","text":"737"}`)).toEqual([]);
});

test("a secret at the very start, at the very end, and twice", () => {
  expect(search(Buffer.from(number + number)).filter(({ form }) => form === "as it is")).toHaveLength(2);
  expect(names(number)).toEqual(["card"]);
  expect(names(number.slice(0, 11))).toEqual([]);
});

test("canaries are valid numbers of their length, all different", () => {
  const made = Array.from({ length: 200 }, (_, index) =>
    canaryNumber(randomInt, index % 2 ? 16 : 15, index % 2 ? "4" : "37"),
  );
  expect(made.every((one) => passesLuhn(one) && /^(4\d{15}|37\d{13})$/.test(one))).toBe(true);
  expect(new Set(made).size).toBe(made.length);
});

test("a code is found behind its name as jsonb has it, but not within an id that reads so by chance", () => {
  const search = createSearch([{ name: "code", text: "516", kind: "code" }]);
  expect(
    search(Buffer.from("\u0001\u0000\u0000 \u0003\u0000\u0000\u0080\u0003\u0000\u0000\u0000cvv516", "latin1")),
  ).toHaveLength(1);
  expect(search(Buffer.from('"request_id":"req_01m84vzgfkfcvv516r435vhp7e"'))).toEqual([]);
});
