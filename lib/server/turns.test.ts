import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { performance as hooks } from "node:perf_hooks";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Listener } from "./http-server";
import { withTurns } from "./turns";

const FORM = `/pay/cst_${"a".repeat(43)}`;
const ask = (url = "/sign-in", address = "203.0.113.7") =>
  ({ url, method: "GET", headers: { "x-forwarded-for": address } }) as unknown as IncomingMessage;

class Answer extends EventEmitter {
  status = 0;
  destroyed = false;
  writeHead(status: number) {
    this.status = status;
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

/** Work that ends when it is told to. */
function slow() {
  const ends: (() => void)[] = [];
  const listener: Listener = () => new Promise<void>((resolve) => void ends.push(resolve));
  return { listener, ends, begun: () => ends.length };
}

const settle = () => vi.advanceTimersByTimeAsync(0);
const start = (listener: Listener, request = ask()) => {
  const answer = new Answer();
  void listener(request, answer as unknown as ServerResponse);
  return answer;
};

/** Where each page was asked for, in the order in which they began; each ends when it is told to. */
function drawing() {
  const work = slow();
  const begun: string[] = [];
  const listener: Listener = (request, response) => {
    begun.push(String(request.headers["x-forwarded-for"]));
    return work.listener(request, response);
  };
  return { ...work, begun, pages: withTurns(listener) };
}

/** Nothing of the process is idle while it is looked at, so that a turn ends by its page, or by its time. */
describe("turns of a busy process", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    vi.spyOn(hooks, "eventLoopUtilization").mockReturnValue({ idle: 0, active: 0, utilization: 1 });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  test("one page is made at a time, in the order in which they were asked for", async () => {
    const { pages, ends, begun } = drawing();
    for (let i = 1; i <= 4; i++) start(pages, ask("/", `203.0.113.${i}`));
    await settle();
    expect(begun).toHaveLength(1);
    ends[0]?.();
    await settle();
    expect(begun).toEqual(["203.0.113.1", "203.0.113.2"]);
    await vi.advanceTimersByTimeAsync(60);
    expect(begun).toHaveLength(3);
  });

  test("what waits for the database lets the next ones begin, four in all; a moment later they count no more", async () => {
    const { pages, begun } = drawing();
    for (let i = 0; i < 12; i++) start(pages);
    await vi.advanceTimersByTimeAsync(240);
    expect(begun).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(250);
    expect(begun).toHaveLength(8);
  });

  test("one address that asks for many keeps no other waiting behind them, and all of a /48 are one", async () => {
    const { pages, ends, begun } = drawing();
    const sites = ["203.0.113.1", "2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:3::1"];
    for (let i = 0; i < 3; i++) start(pages, ask("/", sites[0]));
    for (const site of sites.slice(1)) start(pages, ask("/", site));
    start(pages, ask("/", "203.0.113.2"));
    for (let i = 0; i < 7; i++) {
      await settle();
      ends[i]?.();
    }
    expect(begun).toEqual([
      ...["203.0.113.1", "203.0.113.1", "2001:db8:1:1::1", "203.0.113.2", "203.0.113.1", "2001:db8:1:2::1"],
      "2001:db8:1:3::1",
    ]);
  });

  test("payment forms and other pages begin alternately, whoever has more; forms wait for banks, and are not counted", async () => {
    const { pages, begun } = drawing();
    for (let i = 0; i < 20; i++) start(pages, ask("/", "203.0.113.1"));
    for (let i = 0; i < 20; i++) start(pages, ask(`${FORM}/state`, "203.0.113.2"));
    await vi.advanceTimersByTimeAsync(160);
    expect(begun).toEqual(["203.0.113.1", "203.0.113.2", "203.0.113.1", "203.0.113.2"]);
    const { pages: others, begun: forms } = drawing();
    for (let i = 0; i < 20; i++) start(others, ask(FORM));
    await vi.advanceTimersByTimeAsync(490);
    expect(forms).toHaveLength(10);
  });

  test("a full queue refuses, per address before all together; who leaves makes room", async () => {
    const { pages, begun } = drawing();
    const own = Array.from({ length: 52 }, () => start(pages));
    await settle();
    expect(own.map(({ status }) => status)).toEqual([...new Array(51).fill(0), 503]);
    const others = Array.from({ length: 151 }, (_, i) => start(pages, ask("/", `203.0.${i}.1`)));
    await settle();
    const refused = (some: { status: number }[]) => some.filter(({ status }) => status === 503).length;
    expect([refused(own), refused(others)]).toEqual([2, 0]);
    // Forms have places of their own.
    expect(start(pages, ask(FORM, "198.51.100.2")).status).toBe(0);
    own[10]?.hangUp();
    const late = start(pages, ask("/", "198.51.100.1"));
    await settle();
    expect([late.status, begun.length]).toEqual([0, 1]);
  });

  test("in a full queue who has many of its places makes room for who has few", async () => {
    const { pages } = drawing();
    start(pages, ask("/", "192.0.2.1"));
    await settle();
    const greedy = [1, 2, 3, 4].map((i) => Array.from({ length: 50 }, () => start(pages, ask("/", `203.0.113.${i}`))));
    await settle();
    const refused = () => greedy.map((own) => own.filter(({ status }) => status === 503).length);
    expect(refused()).toEqual([0, 0, 0, 0]);
    const others = Array.from({ length: 20 }, (_, i) => start(pages, ask("/", `198.51.100.${i}`)));
    await settle();
    expect(others.map(({ status }) => status)).toEqual(new Array(20).fill(0));
    expect(refused()).toEqual([5, 5, 5, 5]);
    // The last ones went; and who has as many as the others gets none of their places.
    expect(greedy[0]?.slice(45).map(({ status }) => status)).toEqual(new Array(5).fill(503));
    const more = Array.from({ length: 60 }, () => start(pages, ask("/", "203.0.113.9")));
    await settle();
    const taken = more.filter(({ status }) => status === 0).length;
    expect(taken).toBeGreaterThan(30);
    expect(taken).toBeLessThan(40);
  });

  test("nobody waits longer than ten seconds", async () => {
    const { pages, begun } = drawing();
    const answers = Array.from({ length: 190 }, (_, i) => start(pages, ask("/", `203.0.${i}.1`)));
    await vi.advanceTimersByTimeAsync(9_900);
    expect(answers.filter(({ status }) => status === 503)).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    const refused = answers.filter(({ status }) => status === 503).length;
    expect(refused).toBeGreaterThan(20);
    expect(refused + begun.length).toBe(190);
  });
});

test("a page that leaves the process idle gives way at once", async () => {
  const msForFour = async () => {
    const { pages, begun } = drawing();
    for (let i = 0; i < 4; i++) start(pages);
    const before = performance.now();
    await vi.waitFor(() => expect(begun).toHaveLength(4), { timeout: 10_000, interval: 1 });
    return performance.now() - before;
  };
  // Whole turns of 50 ms would take longer each time; a busy machine takes longer now and then.
  await expect.poll(msForFour, { timeout: 20_000, interval: 0 }).toBeLessThan(100);
});
