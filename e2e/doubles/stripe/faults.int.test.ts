import { expect, test } from "vitest";
import { newId } from "@/lib/ids";
import type { AuthorizeRequest, Inquiry, Processor } from "@/lib/processor/port";
import type { ProcessorObject } from "@/lib/processor/records";
import { type Double, startDouble } from "./double";
import { FAULTS, type Fault, type Operation } from "./faults";
import { answerChallenge, companyOf, connectorTo } from "./under-test";

/**
 * Every request of every operation meets every fault once; each operation must reach its one correct result.
 */
const AMOUNT = 10_000;
const PART = 3_000;
const LABELS = { description: null, metadata: {} };
/** Time limit of a call; a request without a response uses all of it. */
const TIMEOUT_MS = 1_500;

type Kind = "authorize" | "continue" | "capture" | "void" | "refund";
const REQUESTS: readonly (readonly [Kind, Operation])[] = [
  ["authorize", "create"],
  ["authorize", "confirm"],
  ["continue", "read"],
  ["continue", "cancel"],
  ["capture", "read"],
  ["capture", "capture"],
  ["void", "read"],
  ["void", "update"],
  ["void", "cancel"],
  ["refund", "read"],
  ["refund", "list"],
  ["refund", "refund"],
];

/** A payment at its own double, and the calls that Cardlane makes for it. */
async function payment(double: Double) {
  const processor = connectorTo(double, { timeoutMs: TIMEOUT_MS });
  const [account, authorization] = [newId(), newId()];
  const objects: ProcessorObject[] = [];
  const called = (reference: string) => ({
    reference,
    account,
    objects,
    authorization,
    challengePage: "https://cardlane.example/challenge/of-this-payment",
    notAfter: new Date(Date.now() + 60_000),
    keep: async (object: ProcessorObject) => {
      if (!objects.some(({ id }) => id === object.id)) objects.push(object);
    },
  });
  async function authorizing(number: string, capture: boolean): Promise<AuthorizeRequest> {
    const card = { number, exp_month: 12, exp_year: 2099, cvv: "123" };
    const { token } = await processor.tokenize(account, card);
    const money = { amount: AMOUNT, currency: "USD", capture, customerEmail: null, billingAddress: null, ...LABELS };
    return { ...called(authorization), token, ...money };
  }
  /**
   * Brings the payment to the state in which the operation can start; returns functions that send and settle
   * it.
   */
  async function prepare(kind: Kind): Promise<Attempt> {
    const request = await authorizing(kind === "continue" ? "4000000000003220" : "4242424242424242", kind === "refund");
    const { currency } = request;
    // Small enough that a second refund would also be covered.
    const amount = kind === "refund" ? PART : AMOUNT;
    if (kind === "authorize") {
      const captured = { ...request, capture: true };
      const close = () => processor.close({ ...called(authorization), amount, currency, ...LABELS });
      return { send: () => processor.authorize(captured), settle: () => proveOrClose(processor, captured, close) };
    }
    await processor.authorize(request);
    const reference = newId();
    if (kind === "continue") {
      const send = () => processor.continueAuthorization({ ...called(reference), challenge: "abandoned" });
      return { send, settle: send };
    }
    const send = () => processor[kind]({ ...called(reference), amount, currency, reason: null });
    return { send, settle: send };
  }
  return { prepare, authorization };
}

type Attempt = { send(): Promise<Inquiry>; settle(): Promise<Inquiry> };

/** Settles an authorization like the recovery worker: checks its status, and closes it if it isn't found. */
async function proveOrClose(
  processor: Processor,
  request: AuthorizeRequest,
  close: () => Promise<Inquiry>,
): Promise<Inquiry> {
  const known = await processor.inquire({ ...request, kind: "authorize", authorization: request.reference });
  return known.kind === "not_found" ? close() : known;
}

const FINAL = new Set(["approved", "declined", "never"]);

/**
 * Repeats until the result is final, like the executor: resends a call that wasn't sent, and settles an
 * unknown one.
 */
async function endOf({ send, settle }: Attempt): Promise<Inquiry> {
  let answer = await send();
  for (let tries = 0; tries < 3 && answer.kind === "not_sent"; tries++) answer = await send();
  for (let tries = 0; tries < 3 && !FINAL.has(answer.kind); tries++) answer = await settle();
  return answer;
}

const MONEY: Record<Kind, Record<string, unknown>> = {
  authorize: { approved: { captured: AMOUNT, refunded: 0, voided: false }, never: null, not_sent: null },
  continue: { declined: { captured: 0, refunded: 0, voided: false } },
  capture: { approved: { captured: AMOUNT, refunded: 0, voided: false } },
  void: { approved: { captured: 0, refunded: 0, voided: true } },
  refund: { approved: { captured: AMOUNT, refunded: PART, voided: false } },
};

async function prove(kind: Kind, operation: Operation, fault: Fault): Promise<string> {
  const double = await startDouble();
  const company = companyOf(double);
  try {
    const { prepare, authorization } = await payment(double);
    const attempt = await prepare(kind);
    double.faults.next(operation, fault);
    let end = await endOf(attempt);
    expect(double.faults.left, "the fault was met").toBe(
      fault === "late" || fault.startsWith("lost") ? double.faults.left : 0,
    );
    // A refund may still appear after a stored error, so it stays unknown for as long as the key exists.
    if (kind === "refund" && operation === "refund" && fault === "stored 500") {
      expect(end).toMatchObject({ kind: "unknown" });
      double.forgetKeys();
      end = await endOf(attempt);
    }
    const held = company.money(authorization);
    expect(MONEY[kind], `${JSON.stringify(end)} of ${kind}`).toHaveProperty(end.kind);
    expect(held).toEqual(MONEY[kind][end.kind]);
    // Requests lost in transit arrive late, and a day later the keys are gone.
    double.faults.releaseLate();
    expect(company.money(authorization)).toEqual(held);
    double.forgetKeys();
    if (end.kind === "approved" || end.kind === "declined") expect((await attempt.send()).kind).toBe(end.kind);
    expect(company.money(authorization)).toEqual(held);
    expect(double.books.refunds.size).toBe(kind === "refund" ? 1 : 0);
    return end.kind;
  } finally {
    await double.stop();
  }
}

/**
 * Faults after which nothing was executed: the card is no longer available, so the authorization is closed.
 */
const NEVER: Partial<Record<Operation, readonly Fault[]>> = {
  create: ["stored 500", "stored 500 after"],
  confirm: ["lost before", "late", "stored 500", "503", "silence"],
};

test.each(FAULTS)("%s: every operation reaches its true outcome, and moves money once", async (fault) => {
  const ends = await Promise.all(
    REQUESTS.map(async ([kind, operation]) => `${kind}, ${operation}: ${await prove(kind, operation, fault)}`),
  );
  expect(ends).toEqual(
    REQUESTS.map(([kind, operation]) => {
      const end = kind === "continue" ? "declined" : NEVER[operation]?.includes(fault) ? "never" : "approved";
      return `${kind}, ${operation}: ${end}`;
    }),
  );
});

test("a challenge that was passed although the response says abandoned is approved", async () => {
  const double = await startDouble();
  const { prepare, authorization } = await payment(double);
  const attempt = await prepare("continue");
  const [intent] = [...double.books.intents.values()];
  await answerChallenge(intent?.next_action?.redirect_to_url?.url ?? "", true);
  expect(await attempt.send()).toMatchObject({ kind: "approved" });
  expect(companyOf(double).money(authorization)).toEqual({ captured: 0, refunded: 0, voided: false });
  await double.stop();
});
