import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Listener } from "./http-server";
import { createPageLimit, withTurns } from "./page-limits";

const FORM = `/pay/cst_${"a".repeat(43)}`;
const CHALLENGE = `/challenge/env_1.pay_1.${"a".repeat(30)}`;
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

describe("pages of one address", () => {
  test("are refused beyond the limit, and those of others are not", () => {
    const refusalFor = createPageLimit(40);
    const statuses = (address: string, count: number) =>
      Array.from({ length: count }, () => refusalFor(ask("/docs", address))?.status ?? 200);
    expect(statuses("203.0.113.7", 12)).toEqual([...new Array(10).fill(200), 429, 429]);
    expect(statuses("203.0.113.8", 1)).toEqual([200]);
    // One who has an IPv6 address has all of its /64.
    expect(Array.from({ length: 12 }, (_, i) => statuses(`2001:db8::${i + 1}`, 1)[0])).toEqual([
      ...new Array(10).fill(200),
      ...[429, 429],
    ]);
    expect(refusalFor(ask("/docs"))?.headers).toEqual({ "Retry-After": "2" });
  });

  test("of the payment form are counted apart, and may be more", () => {
    const refusalFor = createPageLimit(40);
    const ask40 = (path: string) =>
      Array.from({ length: 40 }, () => refusalFor(ask(path))?.status ?? 200).filter((status) => status === 200).length;
    expect([ask40(FORM), ask40("/docs"), ask40(`${FORM}/state`)]).toEqual([30, 10, 0]);
  });

  test.each(["/pay/cst_1", "/pay/preview", `${FORM}/result`, `${FORM}/x`, "/challenge/x", `${CHALLENGE}/attempts`])(
    "%s is no payment form, but a page like any other",
    (path) => {
      const refusalFor = createPageLimit(4);
      refusalFor(ask("/docs"));
      expect(refusalFor(ask(path))?.status).toBe(429);
      for (const form of [FORM, `${FORM}/attempts`, CHALLENGE]) expect(refusalFor(ask(form)), form).toBeNull();
    },
  );
});

describe("turns", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());
  const nobody: Listener = async () => {};

  test("two pages are drawn at a time, in the order in which they were asked for", async () => {
    const { listener, ends, begun } = slow();
    const { pages } = withTurns({ api: nobody, pages: listener });
    for (let i = 0; i < 4; i++) start(pages);
    await settle();
    expect(begun()).toBe(2);
    ends[0]?.();
    await settle();
    expect(begun()).toBe(3);
    // What waits for the database holds nobody up for long.
    await vi.advanceTimersByTimeAsync(300);
    expect(begun()).toBe(4);
  });

  test("one address that asks for many keeps no other waiting behind them", async () => {
    const { listener, ends, begun } = slow();
    const drawn: string[] = [];
    const draw: Listener = (request, response) => {
      drawn.push(String(request.headers["x-forwarded-for"]));
      return listener(request, response);
    };
    const turned = withTurns({ api: nobody, pages: draw }).pages;
    for (let i = 0; i < 10; i++) start(turned, ask("/", "203.0.113.1"));
    start(turned, ask("/", "203.0.113.2"));
    start(turned, ask("/", "203.0.113.3"));
    await settle();
    for (let i = 0; i < 3; i++) {
      ends[i]?.();
      await settle();
    }
    expect(drawn).toEqual(["203.0.113.1", "203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.1"]);
    expect(begun()).toBe(5);
  });

  test("what has a body takes no turn: its caller decides how long that takes", async () => {
    const { listener, begun } = slow();
    const { pages } = withTurns({ api: nobody, pages: listener });
    for (let i = 0; i < 5; i++) {
      const request = ask("/api/sign-up");
      Object.assign(request.headers, { "content-length": "60" });
      start(pages, request);
    }
    for (let i = 0; i < 3; i++) start(pages);
    await settle();
    expect(begun()).toBe(7);
  });

  test("the payment form waits for no page", async () => {
    const { listener, begun } = slow();
    const { pages } = withTurns({ api: nobody, pages: listener });
    for (let i = 0; i < 3; i++) start(pages);
    start(pages, ask(`${FORM}/attempts`));
    await settle();
    expect(begun()).toBe(3);
  });

  test("while the API is at work pages rest for as long as they took, and not otherwise", async () => {
    vi.useRealTimers();
    const work = slow();
    let drawn = 0;
    const burn: Listener = async () => {
      const until = performance.now() + 40;
      while (performance.now() < until);
      drawn++;
    };
    const { api, pages } = withTurns({ api: work.listener, pages: burn });
    for (let i = 0; i < 3; i++) start(pages);
    await wait(0);
    expect(drawn).toBe(3);
    start(api);
    start(pages);
    await wait(0);
    expect(drawn).toBe(3);
    const before = performance.now();
    await vi.waitFor(() => expect(drawn).toBe(4), { interval: 5 });
    expect(performance.now() - before).toBeGreaterThan(10);
  });

  test("a full queue refuses, per address before all together; who leaves makes room", async () => {
    const { listener, begun } = slow();
    const { pages } = withTurns({ api: nobody, pages: listener });
    const own = Array.from({ length: 53 }, () => start(pages));
    await settle();
    expect(own.map(({ status }) => status)).toEqual([...new Array(52).fill(0), 503]);
    const others = Array.from({ length: 151 }, (_, i) => start(pages, ask("/", `203.0.${i}.1`)));
    await settle();
    expect(others.filter(({ status }) => status === 503)).toHaveLength(1);
    own[10]?.hangUp();
    const late = start(pages, ask("/", "198.51.100.1"));
    await settle();
    expect([late.status, begun()]).toEqual([0, 2]);
  });

  test("nobody waits longer than ten seconds", async () => {
    const { listener, begun } = slow();
    const { pages } = withTurns({ api: nobody, pages: listener });
    const answers = Array.from({ length: 150 }, (_, i) => start(pages, ask("/", `203.0.${i}.1`)));
    await vi.advanceTimersByTimeAsync(9_900);
    expect(answers.filter(({ status }) => status === 503)).toEqual([]);
    await vi.advanceTimersByTimeAsync(200);
    const refused = answers.filter(({ status }) => status === 503).length;
    expect(refused).toBeGreaterThan(50);
    expect(refused + begun()).toBe(150);
  });
});
