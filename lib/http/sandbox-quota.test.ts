import { expect, test } from "vitest";
import { AppError } from "@/lib/contract/errors";
import { createSandboxQuota, type Writer } from "./sandbox-quota";

const MB = 1_000_000;
const HOUR_MS = 3_600_000;

function quotaOf(mb: number) {
  let time = 0;
  const quota = createSandboxQuota(mb, () => time);
  /** The refusal, or null if a write of `bytes` was accepted. */
  const write = (bytes = 0, over: Partial<Writer> = {}): AppError | null => {
    try {
      quota.take({ key: "a", mode: "test", verified: false, ...over })?.add(bytes);
      return null;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return error;
    }
  };
  const wait = (ms: number) => {
    time += ms;
  };
  return { write, wait };
}

test("without a verified address, a day allows 100 writes per megabyte and no more", () => {
  const { write, wait } = quotaOf(20);
  for (let i = 0; i < 2_000; i++) expect(write()).toBeNull();
  const refusal = write();
  expect(refusal).toMatchObject({ code: "rate_limited", status: 429 });
  expect(refusal?.message).toMatch(/20 MB .* or 2,000 writes\. Try again in 44 s\. .*confirmed.* 50 times/);
  expect(refusal?.headers).toEqual({
    "RateLimit-Policy": '"sandbox-writes";q=2000;w=86400',
    RateLimit: '"sandbox-writes";r=0;t=86400',
    "Retry-After": "44",
  });
  wait(44_000);
  expect([write(), write()?.code]).toEqual([null, "rate_limited"]);
});

test("bytes are counted afterwards, and an excess delays the next write", () => {
  const { write, wait } = quotaOf(24);
  expect(write(23 * MB)).toBeNull();
  expect(write(2 * MB)).toBeNull();
  const refusal = write();
  expect(refusal?.headers).toMatchObject({
    "RateLimit-Policy": '"sandbox-bytes";q=24000000;qu="content-bytes";w=86400',
    "Retry-After": "3601",
  });
  wait(HOUR_MS - 1_000);
  expect(write()).not.toBeNull();
  wait(2_000);
  expect(write()).toBeNull();
});

test("a verified address has 50 times the quota, each environment its own; live mode and 0 have none", () => {
  const { write } = quotaOf(1);
  for (let i = 0; i < 100; i++) write();
  expect(write()).not.toBeNull();
  expect(write(0, { key: "b" })).toBeNull();
  for (let i = 0; i < 5_000; i++) expect(write(0, { verified: true })).toBeNull();
  expect(write(0, { verified: true })?.message).toMatch(/50 MB .* 5,000 writes\. Try again in \d+ s\.$/);
  for (let i = 0; i < 200; i++) expect(write(MB, { mode: "live" })).toBeNull();
  const none = quotaOf(0);
  for (let i = 0; i < 200; i++) expect(none.write(MB)).toBeNull();
});
