import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ParentMessage, wrap } from "@/lib/contract/checkout/messages";
import { createParentLink } from "./parent-link";

const ORIGIN = "https://shop.example";

/** A fake frame: records posted messages and delivers incoming ones. */
function openFrame() {
  const posted: { message: unknown; origin: string }[] = [];
  const listeners = new Set<(event: MessageEvent) => void>();
  const parent = { postMessage: (message: unknown, origin: string) => posted.push({ message, origin }) };
  const frame = {
    parent,
    addEventListener: (_type: string, listener: (event: MessageEvent) => void) => listeners.add(listener),
    removeEventListener: (_type: string, listener: (event: MessageEvent) => void) => listeners.delete(listener),
    setTimeout: (work: () => void, ms: number) => setTimeout(work, ms),
  };
  const receive = (data: unknown, from: { source?: unknown; origin?: string } = {}) => {
    const event = { data, source: parent, origin: ORIGIN, ...from } as unknown as MessageEvent;
    for (const listener of [...listeners]) listener(event);
  };
  const heard: ParentMessage[] = [];
  const link = createParentLink(ORIGIN, frame as unknown as Window);
  const kinds = () => posted.map(({ message }) => (message as { type: string }).type);
  return { link, posted, kinds, receive, heard, open: () => link.open((message) => heard.push(message)), listeners };
}

/** An element with a settable height, and its observer. */
function elementOf(height: number) {
  let tell = () => {};
  const element = { height, getBoundingClientRect: () => ({ height: element.height }) };
  class Observer {
    constructor(listener: () => void) {
      tell = listener;
    }
    observe() {}
    disconnect() {
      tell = () => {};
    }
  }
  vi.stubGlobal("ResizeObserver", Observer);
  const grow = (to: number) => {
    element.height = to;
    tell();
  };
  return { element: element as unknown as Element, grow };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the handshake", () => {
  it("greets only the exact origin, and is ready after init, with its height first", () => {
    const { link, open, posted, kinds, receive, heard } = openFrame();
    link.watchHeight(elementOf(300.2).element);
    open();
    expect(posted).toEqual([{ message: wrap({ type: "hello" }), origin: ORIGIN }]);
    receive(wrap({ type: "init", locale: "de" }));
    expect(heard).toEqual([{ type: "init", locale: "de" }]);
    vi.runAllTimers();
    expect(kinds()).toEqual(["hello", "resize", "ready"]);
    expect(posted[1]?.message).toEqual(wrap({ type: "resize", height: 301 }));
    expect(new Set(posted.map(({ origin }) => origin))).toEqual(new Set([ORIGIN]));
  });

  it("queues earlier messages and sends them in order", () => {
    const { link, open, kinds, receive } = openFrame();
    link.send({ type: "change", complete: false, empty: false, processing: false });
    open();
    link.send({ type: "expired" });
    receive(wrap({ type: "init" }));
    vi.runAllTimers();
    expect(kinds()).toEqual(["hello", "ready", "change", "expired"]);
  });

  it("becomes ready once, however many greetings arrive", () => {
    const { open, kinds, receive, heard } = openFrame();
    open();
    receive(wrap({ type: "init" }));
    receive(wrap({ type: "init", button: false }));
    vi.runAllTimers();
    receive(wrap({ type: "init" }));
    vi.runAllTimers();
    expect(kinds()).toEqual(["hello", "ready"]);
    expect(heard).toHaveLength(3);
  });
});

describe("a message from another origin or window", () => {
  const init = wrap({ type: "init", locale: "de" });
  it.each<[string, unknown, { source?: unknown; origin?: string }]>([
    ["another window", init, { source: {} }],
    ["no window", init, { source: null }],
    ["another origin", init, { origin: "https://evil.example" }],
    ["an origin that begins alike", init, { origin: `${ORIGIN}.evil.example` }],
    ["the same host on http", init, { origin: "http://shop.example" }],
    ["a sandbox without an origin", init, { origin: "null" }],
    ["another library", { type: "init", locale: "de" }, {}],
    ["another source", { ...init, source: "stripe" }, {}],
    ["an unknown type", wrap({ type: "pay" } as never), {}],
    ["a type of the other direction", wrap({ type: "success" } as never), {}],
    ["a member too many", wrap({ type: "submit", amount: 1 } as never), {}],
    ["a font that ends the declaration", wrap({ type: "init", appearance: { font_family: "x;} *{" } }), {}],
    ["an inherited type", { ...init, type: "toString" }, {}],
    ["text", "submit", {}],
    ["nothing", null, {}],
  ])("is ignored: %s", (_what, data, from) => {
    const { open, kinds, receive, heard } = openFrame();
    open();
    receive(data, from);
    vi.runAllTimers();
    expect(heard).toEqual([]);
    expect(kinds()).toEqual(["hello"]);
  });
});

describe("heights", () => {
  it("are reported rounded up, and only when they change", () => {
    const { link, open, posted, receive } = openFrame();
    const { element, grow } = elementOf(300);
    const stop = link.watchHeight(element);
    open();
    receive(wrap({ type: "init" }));
    vi.runAllTimers();
    for (const height of [300, 299.5, 320.1, 320.9, 300]) grow(height);
    stop();
    grow(500);
    const heights = posted.flatMap(({ message }) => (message as { height?: number }).height ?? []);
    expect(heights).toEqual([300, 321, 300]);
  });
});

it("ignores messages after it is closed", () => {
  const { open, receive, heard, listeners } = openFrame();
  open()();
  receive(wrap({ type: "submit" }));
  expect(heard).toEqual([]);
  expect(listeners.size).toBe(0);
});
