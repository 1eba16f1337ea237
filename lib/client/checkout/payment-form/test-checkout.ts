import { afterEach, beforeEach, vi } from "vitest";
import type { CheckoutAttempt, CheckoutPage, CheckoutState } from "@/lib/contract/checkout/checkout";
import type { FrameMessage, ParentMessage } from "@/lib/contract/checkout/messages";
import type { AttemptOutcome, CheckoutServer } from "./checkout-server";
import { type CheckoutStore, createCheckoutStore } from "./checkout-store";
import type { ParentLink } from "./parent-link";

export const NOW = "2026-11-21T12:00:00.000Z";

export const noAnswer = new Error("no answer");

/** Called once in a file: in each of its tests the clock stands at NOW and moves only with `passes`. */
export function standingClock() {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.setSystemTime(new Date(NOW));
  });
  afterEach(() => {
    // In this order: a spy on setTimeout gives back the fake one.
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  return { passes: (ms: number) => vi.advanceTimersByTimeAsync(ms) };
}

export const openState: CheckoutState = {
  status: "OPEN",
  client_session_id: "cs_1",
  attempts_left: 5,
  expires_at: "2026-11-21T13:00:00.000Z",
  payment: null,
  action: null,
  failure: null,
  return_url: "https://shop.example/thanks",
};
export const paidState: CheckoutState = {
  ...openState,
  status: "COMPLETED",
  attempts_left: 4,
  payment: { id: "pay_1", status: "CAPTURED" },
};
export const declinedState: CheckoutState = { ...openState, attempts_left: 4, failure: "card_declined" };
export const challengeState: CheckoutState = {
  ...openState,
  status: "REQUIRES_ACTION",
  attempts_left: 4,
  payment: { id: "pay_1", status: "REQUIRES_ACTION" },
  action: { url: "/challenge/chl_1", expires_at: "2026-11-21T12:15:00.000Z" },
};
export const processingState: CheckoutState = {
  ...openState,
  status: "PROCESSING",
  attempts_left: 4,
  payment: { id: "pay_1", status: "PROCESSING" },
};

const page: CheckoutPage = {
  merchant_name: "Acme",
  logo: null,
  receipt: null,
  amount: 1999,
  currency: "USD",
  plan_name: null,
  description: null,
  terms: null,
  environment: "sandbox",
  mode: "payment",
  parent_origin: "https://shop.example",
  fields: { name: false, postal_code: false },
  appearance: null,
  locale: "en",
  customer_name: null,
  state: openState,
  now: NOW,
};

export const answered = (state: CheckoutState, token: string | null = null): AttemptOutcome => ({
  kind: "answered",
  answer: { state, payment_token: token ? { id: token, expires_at: openState.expires_at } : null },
});

/** A server by hand: what it answers is set by the test, and it keeps what it was sent. */
class FakeServer implements CheckoutServer {
  readonly attempts: CheckoutAttempt[] = [];
  looks = 0;
  /** What a look finds: a state, or an error. */
  now: CheckoutState | Error = openState;
  /** Answers to attempts, in turn; none left: no answer at all until `answer` is called. */
  readonly outcomes: AttemptOutcome[] = [];
  #open: ((outcome: AttemptOutcome) => void)[] = [];

  async state() {
    this.looks++;
    if (this.now instanceof Error) throw this.now;
    return this.now;
  }

  /** From now on a look waits until the returned function is called. */
  holdLooks(): (state: CheckoutState) => void {
    let tell: (state: CheckoutState) => void = () => {};
    const held = new Promise<CheckoutState>((resolve) => {
      tell = resolve;
    });
    this.state = () => held;
    return tell;
  }

  attempt(body: CheckoutAttempt): Promise<AttemptOutcome> {
    this.attempts.push(body);
    const outcome = this.outcomes.shift();
    return outcome ? Promise.resolve(outcome) : new Promise((resolve) => this.#open.push(resolve));
  }

  /** Answers the oldest attempt that waits. */
  answer(outcome: AttemptOutcome) {
    this.#open.shift()?.(outcome);
  }
}

class FakeParent implements ParentLink {
  readonly told: FrameMessage[] = [];
  say: (message: ParentMessage) => void = () => {};
  send = (message: FrameMessage) => void this.told.push(message);
  watchHeight = () => () => {};
  open(onMessage: (message: ParentMessage) => void) {
    this.say = onMessage;
    return () => {
      this.say = () => {};
    };
  }
  /** What was told of one kind. */
  of<Type extends FrameMessage["type"]>(type: Type) {
    return this.told.filter((message): message is Extract<FrameMessage, { type: Type }> => message.type === type);
  }
}

class FakeBrowser {
  isVisible = true;
  readonly #visible = new Set<() => void>();
  readonly #online = new Set<() => void>();
  visible = () => this.isVisible;
  onVisible = (listener: () => void) => on(this.#visible, listener);
  onOnline = (listener: () => void) => on(this.#online, listener);
  show() {
    this.isVisible = true;
    for (const listener of [...this.#visible]) listener();
  }
  goOnline() {
    for (const listener of [...this.#online]) listener();
  }
}

function on(listeners: Set<() => void>, listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A form that has started, in a browser that is made by hand. */
export function openCheckout(changes: Partial<CheckoutPage> = {}, preview = false) {
  const server = new FakeServer();
  const parent = new FakeParent();
  const browser = new FakeBrowser();
  server.now = changes.state ?? openState;
  const store = createCheckoutStore({ page: { ...page, ...changes }, server, parent, preview, surroundings: browser });
  return { server, parent, browser, store, stop: store.start() };
}

export function fillIn(store: CheckoutStore, number = "4242424242424242") {
  store.change("number", number);
  store.change("expiry", "12/29");
  store.change("cvv", "123");
}
