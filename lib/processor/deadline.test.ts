import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CALLED, inquiry } from "@/e2e/fixtures/scripted-processor";
import type { AppError } from "@/lib/contract/errors";
import type { CardInput } from "@/lib/contract/payments/payment";
import { tokenizeCard } from "@/lib/domain/payments/make-payment";
import { ProcessorTimeoutError, withDeadline } from "./deadline";
import { type FollowUpRequest, type Processor, type PulledReports, UnreadableReportError } from "./port";

const request: FollowUpRequest = {
  ...CALLED,
  reference: "019aa000-0000-7000-8000-000000000001",
  account: "019aa000-0000-7000-8000-000000000002",
  authorization: "019aa000-0000-7000-8000-000000000003",
  notAfter: new Date("2026-11-20T12:00:08.000Z"),
  amount: 1_000,
  currency: "USD",
  reason: null,
};

const FAKE = { name: "fake", reports: { kind: "pushed" } };

const answering = (call: () => unknown) => {
  const processor = { ...FAKE, capture: vi.fn(call), inquire: vi.fn(call) };
  return { processor, guarded: withDeadline(processor as unknown as Processor, 8_000) };
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a malformed outcome is unknown, never a failure", () => {
  test.each<[string, () => unknown]>([
    ["a rejected call", () => Promise.reject(new Error("socket hang up"))],
    [
      "a thrown error",
      () => {
        throw new TypeError("fetch failed");
      },
    ],
    ["nothing", async () => undefined],
    ["text", async () => "<html>502 Bad Gateway</html>"],
    ["a challenge without an address", async () => ({ kind: "action_required" })],
    [
      "a challenge that is a script",
      async () => ({ kind: "action_required", challenge: { url: "javascript:alert(1)" } }),
    ],
    ["an unheard-of kind", async () => ({ kind: "succeeded" })],
    ["not found, for a call that moves money", async () => ({ kind: "not_found" })],
    ["a decline without its code", async () => ({ kind: "declined" })],
    ["an unheard-of decline code", async () => ({ kind: "declined", decline_code: "no" })],
  ])("%s", async (_, call) => {
    const { guarded } = answering(call);
    expect((await guarded.capture(request)).kind).toBe("unknown");
  });

  test("no outcome in time", async () => {
    const { guarded } = answering(() => new Promise(() => {}));
    const outcome = guarded.capture(request);
    await vi.advanceTimersByTimeAsync(8_000);
    expect(await outcome).toEqual({ kind: "unknown", reason: "no answer within 8000 ms" });
  });

  test("an inquiry that breaks", async () => {
    const { guarded } = answering(() => Promise.reject(new Error("gone")));
    expect((await guarded.inquire(inquiry(request.reference))).kind).toBe("unknown");
  });
});

describe("any text from a processor can be stored", () => {
  const stored = "4242424242424242 \u0000 \ud800 ".repeat(100_000);
  const isKeepable = (text: string) =>
    text.length <= 500 && text.isWellFormed() && !text.includes("\u0000") && !text.includes("4242424242424242");

  test.each<[string, () => unknown]>([
    ["an error", () => Promise.reject(new Error(stored))],
    ["why it was not sent", async () => ({ kind: "not_sent", reason: stored })],
    ["why nobody knows", async () => ({ kind: "unknown", reason: stored })],
  ])("%s", async (_, call) => {
    const outcome = await answering(call).guarded.capture(request);
    expect("reason" in outcome && isKeepable(outcome.reason)).toBe(true);
  });

  test("the address of a challenge", async () => {
    const challenge = { url: "https://bank.example/\u0000\ud800" };
    const outcome = await answering(async () => ({ kind: "action_required", challenge })).guarded.capture(request);
    expect(outcome).toMatchObject({ kind: "action_required", challenge: { url: "https://bank.example/%00%EF%BF%BD" } });
  });

  test("checks", async () => {
    const checks = { avs_result: null, cvv_result: null, fraud_score: 33.5, fraud_reasons: [stored] };
    const outcome = await answering(async () => ({ kind: "approved", checks })).guarded.capture(request);
    expect(outcome).toMatchObject({ kind: "approved", checks: { fraud_score: 34 } });
    expect("checks" in outcome && outcome.checks?.fraud_reasons.every(isKeepable)).toBe(true);
  });
});

test.each([
  { kind: "approved" },
  { kind: "declined", decline_code: null },
  { kind: "declined", decline_code: "processing_error", holds: true },
  {
    kind: "declined",
    decline_code: "lost_card",
    checks: { avs_result: "Y", cvv_result: "M", fraud_score: 3, fraud_reasons: [] },
  },
  { kind: "action_required", challenge: { url: "https://bank.example/3ds?of=1" } },
  { kind: "pending" },
  { kind: "not_sent", reason: "refused" },
  { kind: "unknown", reason: "lost" },
])("a valid result passes unchanged: %j", async (answer) => {
  const { guarded } = answering(async () => answer);
  expect(await guarded.capture(request)).toEqual(answer);
  expect(vi.getTimerCount()).toBe(0);
});

describe("cards that are stored", () => {
  const { challengePage } = CALLED;
  const check = { ...request, customer: "c", token: "t", holder: { name: null, address: null }, challengePage };
  const storing = (call: () => unknown) =>
    withDeadline({ ...FAKE, storeCard: call, continueStoring: call, removeCard: call } as unknown as Processor, 8_000);

  test.each([
    { kind: "stored", token: "a token" },
    {
      kind: "stored",
      token: "a token",
      card: { brand: "visa", bin: null, last4: "4242", exp_month: 1, exp_year: 2030 },
    },
    { kind: "stored", token: "a token", fingerprint: "of its number" },
    { kind: "declined", decline_code: null, refusal: "no such card" },
    { kind: "action_required", challenge: { url: "https://bank.example/3ds" }, pending: "seti_1" },
    { kind: "not_sent", reason: "refused" },
    { kind: "unknown", reason: "lost" },
  ])("a valid result passes unchanged: %j", async (answer) => {
    const guarded = storing(async () => answer);
    expect(await guarded.storeCard?.(check)).toEqual(answer);
    expect(await guarded.continueStoring?.({ ...check, pending: "p", challenge: "passed" })).toEqual(answer);
  });

  test.each([
    ["no token", { kind: "stored" }],
    ["an empty token", { kind: "stored", token: "" }],
    ["a challenge that can't be continued", { kind: "action_required", challenge: { url: "https://bank.example" } }],
    ["an outcome of a payment", { kind: "approved" }],
  ])("%s is unknown", async (_, answer) => {
    expect((await storing(async () => answer).storeCard?.(check))?.kind).toBe("unknown");
  });

  test("a check without a result in time is unknown, and a removal rejects", async () => {
    const guarded = storing(() => new Promise(() => {}));
    const outcome = guarded.storeCard?.(check);
    const removal = guarded.removeCard?.("a", { token: "t", customer: "c" }).catch((error: Error) => error);
    await vi.advanceTimersByTimeAsync(8_000);
    expect((await outcome)?.kind).toBe("unknown");
    expect(await removal).toBeInstanceOf(ProcessorTimeoutError);
  });

  test("an approval keeps the token of the card that it stored, unchanged", async () => {
    const approved = { kind: "approved", storedToken: "4242424242424242 token", fingerprint: "x" };
    expect(await answering(async () => approved).guarded.capture(request)).toEqual(approved);
  });

  test("a processor that stores no cards has none of the calls", () => {
    const { guarded } = answering(async () => null);
    expect([guarded.storeCard, guarded.continueStoring, guarded.removeCard]).toEqual([undefined, undefined, undefined]);
  });
});

test("details that cannot be read are left out, because each status check would get them again", async () => {
  const details = {
    checks: { avs_result: "Y", cvv_result: "M", fraud_score: 101, fraud_reasons: [] },
    card: { brand: "visa", bin: null, last4: "4242", exp_month: 0, exp_year: 2030 },
    fingerprint: "",
  };
  for (const decided of [{ kind: "approved" }, { kind: "declined", decline_code: "lost_card" }]) {
    const { guarded } = answering(async () => ({ ...decided, ...details, note: "network 41" }));
    expect(await guarded.capture(request)).toEqual({ ...decided, note: "network 41" });
    expect(await guarded.inquire(inquiry(request.reference))).toEqual({ ...decided, note: "network 41" });
  }
  // Without its token, the card that it stored could never be charged.
  const { guarded } = answering(async () => ({ kind: "approved", storedToken: "" }));
  expect((await guarded.capture(request)).kind).toBe("unknown");
});

test("not found passes for an inquiry", async () => {
  const { guarded } = answering(async () => ({ kind: "not_found" }));
  expect(await guarded.inquire(inquiry(request.reference))).toEqual({ kind: "not_found" });
});

test("an error after the deadline is dropped", async () => {
  const { guarded } = answering(() => new Promise((_, reject) => setTimeout(reject, 9_000, new Error("late"))));
  const outcome = guarded.capture(request);
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await outcome).kind).toBe("unknown");
});

describe("calls that move no money have a deadline, too", () => {
  const calls: [string, (processor: Processor) => Promise<unknown>][] = [
    ["tokenize", (processor) => processor.tokenize(request.account, {} as CardInput)],
    ["forgetOldAttempts", (processor) => processor.forgetOldAttempts()],
  ];

  const reportCalls: [string, (reports: PulledReports) => Promise<unknown>][] = [
    ["list", (reports) => reports.list(10, "")],
    ["acknowledge", (reports) => reports.acknowledge("report")],
  ];

  test.each(reportCalls)("reports: %s", async (name, call) => {
    const pulled = (answer: () => Promise<unknown>) => {
      const processor = { name: "fake", reports: { kind: "pulled", [name]: answer } } as unknown as Processor;
      return withDeadline(processor, 8_000).reports as PulledReports;
    };
    const asked = call(pulled(() => new Promise(() => {}))).catch((error: Error) => error);
    await vi.advanceTimersByTimeAsync(8_000);
    expect(await asked).toBeInstanceOf(ProcessorTimeoutError);
    await expect(call(pulled(() => Promise.reject(new Error("gone"))))).rejects.toThrow("gone");
  });

  test.each(calls)("%s", async (name, call) => {
    const silent = { ...FAKE, [name]: () => new Promise(() => {}) } as unknown as Processor;
    const asked = call(withDeadline(silent, 8_000)).catch((error: Error) => error);
    await vi.advanceTimersByTimeAsync(8_000);
    expect(await asked).toBeInstanceOf(ProcessorTimeoutError);
    const broken = { ...FAKE, [name]: () => Promise.reject(new Error("gone")) } as unknown as Processor;
    await expect(call(withDeadline(broken, 8_000))).rejects.toThrow("gone");
  });
});

test("a card that is not stored in time is a 504, and one that cannot be stored is a 502", async () => {
  const keep = (tokenize: () => Promise<never>) =>
    tokenizeCard(
      withDeadline({ ...FAKE, capabilities: { rawCards: true }, tokenize } as unknown as Processor, 8_000),
      request.account,
      {} as CardInput,
      { name: null, address: null },
    ).then(
      () => "kept",
      (error: AppError) => error.code,
    );
  const late = keep(() => new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(8_000);
  expect(await late).toBe("processor_timeout");
  expect(await keep(() => Promise.reject(new Error("gone")))).toBe("processor_error");
});

test("errors of another copy of the module are the same errors, and others are not", () => {
  for (const [known, name] of [
    [ProcessorTimeoutError, "ProcessorTimeoutError"],
    [UnreadableReportError, "UnreadableReportError"],
  ] as const) {
    expect(Object.assign(new Error("made by another bundle"), { name })).toBeInstanceOf(known);
    expect(new Error("another")).not.toBeInstanceOf(known);
  }
});
