import { expect, test } from "vitest";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";
import { createVault } from "./token";

const vault = createVault("a secret that only the tests know!!");
const card = (number: string) => ({
  number,
  exp_month: 12,
  exp_year: 2099,
  cvv: number.startsWith("37") ? "7391" : "739",
});

test.each(SANDBOX_CARDS)(
  "a token of $number knows its behaviour and what a receipt shows",
  ({ number, brand, behaviour }) => {
    const tokenized = vault.tokenize(card(number));
    expect(tokenized).toMatchObject({
      brand,
      bin: number.slice(0, 6),
      last4: number.slice(-4),
      exp_month: 12,
      exp_year: 2099,
    });
    const { fingerprint } = tokenized;
    expect(vault.open(tokenized.token)).toEqual({ behaviour, fingerprint, expMonth: 12, expYear: 2099 });
  },
);

test("a valid number that is no test card is declined", () => {
  expect(vault.open(vault.tokenize(card("4012888888881881")).token)?.behaviour).toBe("decline:generic_decline");
});

test("nothing of a token, decoded or not, holds the number or the security code", () => {
  const number = "4012888888881881";
  const { token, fingerprint } = vault.tokenize(card(number));
  const decoded = Buffer.from(token.slice(4, token.indexOf(".")), "base64url").toString();
  for (const text of [token, fingerprint, decoded]) {
    expect(text).not.toContain(number);
    expect(text).not.toContain(number.slice(6, 12));
  }
  expect(decoded).not.toMatch(/\b739\b/);
});

test("equal cards have equal fingerprints, and another secret gives others", () => {
  const first = vault.tokenize(card("4242424242424242"));
  const again = vault.tokenize({ ...card("4242424242424242"), exp_year: 2098, cvv: "111" });
  expect(again.fingerprint).toBe(first.fingerprint);
  expect(vault.tokenize(card("4111111111111111")).fingerprint).not.toBe(first.fingerprint);
  expect(createVault("another").tokenize(card("4242424242424242")).fingerprint).not.toBe(first.fingerprint);
});

test("a token that was changed, cut or sealed with another secret does not open", () => {
  const { token } = vault.tokenize(card("4000000000000002"));
  const [payload = "", mac = ""] = token.slice(4).split(".");
  const approving = Buffer.from(payload, "base64url").toString().replace("decline:generic_decline", "approve");
  expect(vault.open(`sbx_${Buffer.from(approving).toString("base64url")}.${mac}`)).toBeNull();
  expect(vault.open(token.slice(0, -4))).toBeNull();
  expect(vault.open(`sbx_${payload}`)).toBeNull();
  expect(vault.open("")).toBeNull();
  expect(createVault("another").open(token)).toBeNull();
});
