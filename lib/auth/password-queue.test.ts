import { expect, test } from "vitest";
import { arePasswordsBusy, runPasswordWork } from "./password";
import { takeAttempt } from "./sign-in-limits";

test("while 100 passwords wait, unauthenticated attempts get a Retry-After, and the waiting ones are all served", async () => {
  const ends: (() => void)[] = [];
  const hash = () => runPasswordWork(() => new Promise<void>((resolve) => void ends.push(resolve)));
  const work = Array.from({ length: 101 }, hash);
  await new Promise((resolve) => setImmediate(resolve));
  expect([ends.length, arePasswordsBusy()]).toEqual([2, false]);
  work.push(hash());
  for (const attempt of ["sign-in", "sign-up", "reset-password"] as const) {
    expect(takeAttempt(attempt, "192.0.2.1"), attempt).toBe(2);
  }
  while (ends.length > 0) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ends.length).toBeLessThanOrEqual(2);
  }
  expect(await Promise.all(work)).toHaveLength(102);
  expect(arePasswordsBusy()).toBe(false);
});
