import { expect, test } from "vitest";
import { isWellFormedKey, newKeySecret } from "./issue-keys";

test("a new key is its mode's prefix, 32 random and 6 checksum characters", () => {
  expect(newKeySecret("test")).toMatch(/^sk_test_[0-9A-Za-z]{38}$/);
  expect(newKeySecret("live")).toMatch(/^sk_live_[0-9A-Za-z]{38}$/);
  expect(isWellFormedKey(newKeySecret("test"))).toBe(true);
  expect(isWellFormedKey(newKeySecret("live"))).toBe(true);
});

test("a change of any character, and the other mode's prefix, fail the checksum", () => {
  const key = newKeySecret("test");
  for (let i = 8; i < key.length; i++) {
    const other = key[i] === "a" ? "b" : "a";
    expect(isWellFormedKey(key.slice(0, i) + other + key.slice(i + 1))).toBe(false);
  }
  expect(isWellFormedKey(key.replace("sk_test_", "sk_live_"))).toBe(false);
});

test.each(["", "sk_test_", "hello", `sk_test_${"a".repeat(38)}`])("%j is not a key", (text) => {
  expect(isWellFormedKey(text)).toBe(false);
});

test("a truncated or padded key, or one followed by a line break, is not a key", () => {
  const key = newKeySecret("test");
  for (const text of [key.slice(0, -1), `${key}a`, ` ${key}`, `${key}\n`]) expect(isWellFormedKey(text)).toBe(false);
});

test("all 62 characters are equally likely, by a chi-square test", () => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 2000; i++) {
    for (const character of newKeySecret("test").slice(8, 40)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  expect(counts.size).toBe(62);
  const expected = (2000 * 32) / 62;
  let chiSquare = 0;
  for (const count of counts.values()) chiSquare += (count - expected) ** 2 / expected;
  // 61 degrees of freedom: above 140 in one of ten million runs; with an unguarded `byte % 62` it is about
  // 1700.
  expect(chiSquare).toBeLessThan(140);
});
