import { expect, test } from "vitest";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";
import { newId } from "@/lib/ids";
import { createSecret } from "@/lib/secret";
import { createVault } from "./token";

const SECRET = "a secret that only the tests know!!";
const vault = createVault(createSecret(SECRET));
const account = newId();
const card = (number: string) => ({
  number,
  exp_month: 12,
  exp_year: 2099,
  cvv: number.startsWith("37") ? "7391" : "739",
});
const fingerprintOf = async (number: string, { by = vault, at = account } = {}) =>
  by.open((await by.tokenize(at, card(number))).token)?.fingerprint;

test.each(SANDBOX_CARDS)(
  "a token of $number holds its behavior and what a receipt shows",
  async ({ number, brand, behavior }) => {
    const tokenized = await vault.tokenize(account, card(number));
    expect(tokenized).toMatchObject({
      brand,
      bin: number.slice(0, 6),
      last4: number.slice(-4),
      exp_month: 12,
      exp_year: 2099,
    });
    expect(vault.open(tokenized.token)).toMatchObject({ behavior, expMonth: 12, expYear: 2099 });
  },
);

test("a valid number that is no test card is declined", async () => {
  const { token } = await vault.tokenize(account, card("4012888888881881"));
  expect(vault.open(token)?.behavior).toBe("decline:generic_decline");
});

test("a token, decoded or not, contains neither the number, the security code, nor anything constant", async () => {
  const number = "4012888888881881";
  const { token } = await vault.tokenize(account, card(number));
  const fingerprint = (await fingerprintOf(number)) ?? "";
  for (const text of [token, Buffer.from(token.slice(4), "base64url").toString("latin1")]) {
    expect(text).not.toContain(number.slice(6, 12));
    expect(text).not.toContain(fingerprint);
    expect(text).not.toContain("generic_decline");
  }
  expect((await vault.tokenize(account, card(number))).token).not.toBe(token);
});

test("equal cards have equal fingerprints, but not in another environment or under another secret", async () => {
  for (const number of ["4242424242424242", "4012888888881881"]) {
    const first = await fingerprintOf(number);
    const { token } = await vault.tokenize(account, { ...card(number), exp_year: 2098, cvv: "111" });
    expect(vault.open(token)?.fingerprint).toBe(first);
    const others = [
      await fingerprintOf("4111111111111111"),
      await fingerprintOf(number, { at: newId() }),
      await fingerprintOf(number, { by: createVault(createSecret("another secret, that others know")) }),
    ];
    expect(others).not.toContain(first);
    expect(new Set(others).size).toBe(3);
  }
});

test("a token that was changed, cut or sealed with another secret does not open", async () => {
  const { token } = await vault.tokenize(account, card("4000000000000002"));
  const middle = token.length - 30;
  const changed = token.slice(0, middle) + (token[middle] === "A" ? "B" : "A") + token.slice(middle + 1);
  for (const other of [changed, token.slice(0, -4), token.slice(4), "", "sbx_", `sbx_${btoa("[1]")}`]) {
    expect(vault.open(other)).toBeNull();
  }
  expect(() => createVault(createSecret("another secret, that others know")).open(token)).toThrow(/not configured/);
  expect(createVault(createSecret("another secret, that others know", [SECRET])).open(token)).not.toBeNull();
});
