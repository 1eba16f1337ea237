import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withPageSlots } from "./page-slots";

const FORM = `/pay/cst_${"a".repeat(43)}`;

class Answer extends EventEmitter {
  status = 0;
  headers: Record<string, string> = {};
  destroyed = false;
  writeHead(status: number, headers: Record<string, string>) {
    [this.status, this.headers] = [status, headers];
    return this;
  }
  end() {
    this.emit("close");
    return this;
  }
  hangUp() {
    this.destroyed = true;
    this.emit("close");
  }
}

/** Pages in progress by address, and a function that requests another. */
function drawing() {
  const begun: string[] = [];
  const pages = withPageSlots(async (request) => void begun.push(String(request.headers["x-forwarded-for"])));
  const open = (address: string, url = "/sign-in") => {
    const answer = new Answer();
    const request = { url, method: "GET", headers: { "x-forwarded-for": address } };
    void pages(request as unknown as IncomingMessage, answer as unknown as ServerResponse);
    return answer;
  };
  return { begun, open };
}

const settle = () => vi.advanceTimersByTimeAsync(0);
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

test("at most three pages are rendered concurrently, two per address, round-robin by address", async () => {
  const { begun, open } = drawing();
  const answers = ["203.0.113.1", "203.0.113.1", "203.0.113.1", "203.0.113.1", "203.0.113.2", "203.0.113.3"].map(
    (one) => open(one),
  );
  await settle();
  expect(begun).toEqual(["203.0.113.1", "203.0.113.1", "203.0.113.2"]);
  for (const answer of answers.slice(0, 2)) {
    answer.end();
    await settle();
  }
  expect(begun.slice(3)).toEqual(["203.0.113.1", "203.0.113.3"]);
});

test("all addresses of a /48 count as one", async () => {
  const { begun, open } = drawing();
  for (const subnet of [1, 2, 3]) open(`2001:db8:1:${subnet}::1`);
  await settle();
  expect(begun).toHaveLength(2);
});

test("pages don't use payment forms' slots", async () => {
  const { begun, open } = drawing();
  many(100, (index) => open(`203.0.113.${index}`));
  open("198.51.100.1", FORM);
  open("198.51.100.2", `${FORM}/attempts`);
  await settle();
  expect(begun.slice(3)).toEqual(["198.51.100.1", "198.51.100.2"]);
});

test("a page that waits for other work releases its slot after 250 ms", async () => {
  const { begun, open } = drawing();
  many(9, () => open("203.0.113.1"));
  await vi.advanceTimersByTimeAsync(240);
  expect(begun).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(20);
  expect(begun).toHaveLength(4);
});

test("an address with 50 queued pages gets 503 for more, and other addresses do not", async () => {
  const { open } = drawing();
  const own = many(54, () => open("203.0.113.1"));
  const others = many(300, (index) => open(`198.51.${index}.1`));
  await settle();
  expect(own.map(({ status }) => status)).toEqual([...many(52, () => 0), 503, 503]);
  expect(own.at(-1)?.headers).toMatchObject({ "Retry-After": "2", "Cache-Control": "no-store" });
  expect(others.filter(({ status }) => status !== 0)).toEqual([]);
});

test("no page is queued longer than ten seconds, and none is rendered for a disconnected caller", async () => {
  const { begun, open } = drawing();
  const answers = many(200, (index) => open(`198.51.${index}.1`));
  answers[3]?.hangUp();
  await vi.advanceTimersByTimeAsync(9_900);
  expect(answers.filter(({ status }) => status === 503)).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(begun).not.toContain("198.51.3.1");
  expect(answers.filter(({ status }) => status === 503)).toHaveLength(200 - begun.length - 1);
});
