import { expect, test } from "vitest";
import { hashPassword, verifyPassword } from "./password";

test("a password is stored as argon2id with 19 MiB and two passes, and never the same twice", async () => {
  const [first, second] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(first).not.toBe(second);
});

test("only the right password is accepted, and none for an unknown user", async () => {
  const hash = await hashPassword("correct horse");
  expect(await verifyPassword(hash, "correct horse")).toBe(true);
  expect(await verifyPassword(hash, "Correct horse")).toBe(false);
  expect(await verifyPassword(null, "nobody's password")).toBe(false);
});
