import { expect, test } from "vitest";
import { signUp } from "./accounts/endpoints";
import { supportEmail } from "./accounts/fields";
import { createClientSessionBody } from "./checkout/client-session";
import { addressForServers, mailableAddress } from "./emails";
import { parseInput } from "./input";
import { createPaymentBody } from "./payments/payment";

/** Texts with the address that mail is sent to; null if unmailable. */
const ADDRESSES: [text: string, mailed: string | null][] = [
  ["ada@example.com", "ada@example.com"],
  ["Ada@EXAMPLE.com", "Ada@example.com"],
  ["user@xn--e1afmkfd.xn--p1ai", "user@xn--e1afmkfd.xn--p1ai"],
  ["ada@müller.de", "ada@xn--mller-kva.de"],
  ["ada@пример.рф", "ada@xn--e1afmkfd.xn--p1ai"],
  ["ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah"],
  ["a&b@example.com", "a&b@example.com"],
  ["name/dept@example.com", "name/dept@example.com"],
  ["#team@example.com", "#team@example.com"],
  ["a!b@example.com", "a!b@example.com"],
  ["no-reply+x=y@example.com", "no-reply+x=y@example.com"],
  ["foo.@docomo.example", '"foo."@docomo.example'],
  ["foo..bar@docomo.example", '"foo..bar"@docomo.example'],
  ["o'brien@example.com", "o'brien@example.com"],
  ["пример@пример.рф", null],
  ["none", null],
  ["n/a", null],
  ["@example.com", null],
  ["ada@", null],
  ["ada@@example.com", null],
  ["ada@example..com", null],
  ["ada@127.0.0.1", null],
  ["ada@example.com/x", null],
  ["ada@example.com, ben@example.com", null],
  ["Ada <ada@example.com>", null],
  ['"ada b"@example.com', null],
  ["ada\r\nBcc: x@example.com", null],
  [`${"a".repeat(65)}@example.com`, null],
  [`ada@${"a".repeat(300)}.com`, null],
];

const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };

test.each(ADDRESSES)("a payment and a session accept %j unchanged", (customer_email) => {
  const price = { amount: 1, currency: "USD" };
  expect(parseInput(createPaymentBody, { ...price, card, customer_email }).result.data).toMatchObject({
    customer_email,
  });
  expect(
    parseInput(createClientSessionBody, { ...price, customer_email: `\t${customer_email}\u00a0` }).result.data,
  ).toMatchObject({
    customer_email,
  });
});

test.each(ADDRESSES)("%j works for mail, sign-up and as a support address, as %j", (text, mailed) => {
  expect(mailableAddress(text)).toBe(mailed?.replaceAll('"', "") ?? null);
  if (mailed !== null) expect(addressForServers(text)).toBe(mailed);
  const person = { business_name: "Shop", name: "Ada", password: "a new one, and long", time_zone: "UTC" };
  const { data } = parseInput(signUp.body, { ...person, email: ` ${text} ` }).result;
  expect(data?.email ?? null).toBe(mailed?.replaceAll('"', "") ?? null);
  expect(supportEmail.safeParse(text).success).toBe(mailed !== null);
});
