import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Mode } from "@/lib/contract/transactions/words";
import { createUploadSlots, type UploadSlot } from "./upload-slots";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const KB = 1024;

/** Uploads by the first letter of their merchant; each ends when its slot is aborted. */
function uploading() {
  const acquire = createUploadSlots();
  const held: { merchant: string; slot: UploadSlot }[] = [];
  const lost: string[] = [];
  const refused: string[] = [];
  return {
    held,
    lost,
    refused,
    merchants: () => held.map(({ merchant }) => merchant).join(""),
    async begin(merchants: string, mode: Mode = "live") {
      for (const merchant of merchants) {
        acquire(merchant, mode).then(
          (slot) => {
            held.push({ merchant, slot });
            slot.signal.addEventListener("abort", () => {
              lost.push(merchant);
              slot.release();
            });
          },
          ({ code }: { code: string }) => void refused.push(`${merchant} ${code}`),
        );
      }
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

test("trickled uploads that hold every slot lose one to the next merchant within two seconds", async () => {
  const { begin, merchants, lost, refused } = uploading();
  await begin("aabbcc");
  await vi.advanceTimersByTimeAsync(20_000);
  expect([merchants(), lost]).toEqual(["aabbcc", []]);
  await begin("d");
  await vi.advanceTimersByTimeAsync(500);
  expect([merchants(), lost, refused]).toEqual(["aabbccd", ["a"], []]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(lost).toEqual(["a"]);
});

test("an upload that is fast enough, or stores its file, keeps its slot", async () => {
  const { begin, held, lost, refused } = uploading();
  await begin("aabbcc");
  const fast = setInterval(() => {
    for (const { slot } of held.slice(0, 5)) slot.note(200 * KB);
  }, 500);
  held[5]?.slot.arrived();
  await begin("d");
  await vi.advanceTimersByTimeAsync(9_000);
  expect([lost, refused]).toEqual([[], []]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(refused).toEqual(["d rate_limited"]);
  clearInterval(fast);
});

test("a merchant that waits for its own uploads costs nobody a slot", async () => {
  const { begin, merchants, lost } = uploading();
  await begin("aaaab");
  await vi.advanceTimersByTimeAsync(9_000);
  expect([merchants(), lost]).toEqual(["aab", []]);
  const { begin: beginInAll, ...inAll } = uploading();
  await beginInAll("bbaacca");
  await vi.advanceTimersByTimeAsync(9_000);
  expect([inAll.merchants(), inAll.lost]).toEqual(["bbaacc", []]);
});

test("test mode leaves two slots to live mode, and its own slow uploads give way to each other", async () => {
  const { begin, merchants, lost } = uploading();
  await begin("aabb", "test");
  await begin("c", "test");
  await begin("x");
  expect(merchants()).toBe("aabbx");
  await vi.advanceTimersByTimeAsync(2_000);
  expect([merchants(), lost]).toEqual(["aabbxc", ["a"]]);
});
