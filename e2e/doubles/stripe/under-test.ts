import { type Clock, systemClock } from "@/lib/clock";
import { newId } from "@/lib/ids";
import type { CardHolder } from "@/lib/processor/cards";
import type { Processor } from "@/lib/processor/port";
import { createStripeProcessor } from "@/lib/processor/stripe/connector";
import { METADATA } from "@/lib/processor/stripe/outcomes";
import { memoryJournal } from "../../fixtures/memory-journal";
import { TEST_WEBHOOK_SECRET } from "./deliveries";
import type { Double } from "./double";

/** A test-mode connector that uses a double. */
export function connectorTo(
  double: Pick<Double, "endpoint" | "secretKey">,
  {
    name = "stripe-test",
    timeoutMs = 8_000,
    clock = systemClock,
    metadataKeys = [],
  }: { name?: string; timeoutMs?: number; clock?: Clock; metadataKeys?: readonly string[] } = {},
): Processor {
  return createStripeProcessor({
    name,
    credentials: { secret_key: double.secretKey, webhook_secret: TEST_WEBHOOK_SECRET },
    settings: { live: false, rawCards: true, metadataKeys },
    timeoutMs,
    clock,
    journal: memoryJournal(),
    endpoint: double.endpoint,
  });
}

/** The double's books, and the processor's own actions, for tests. */
export function companyOf({ books }: Pick<Double, "books">) {
  const intentOf = (reference: string) =>
    [...books.intents.values()].find(({ metadata }) => metadata[METADATA.reference] === reference);
  const refundsOf = (account: string) =>
    [...books.refunds.values()].filter(
      (refund) => books.intent(String(refund.payment_intent)).metadata[METADATA.account] === account,
    );
  return {
    intentOf,
    refundsOf,
    /** A charge's amounts in Stripe's units; null if no payment was attempted. */
    money(reference: string) {
      const intent = intentOf(reference);
      const charge = intent && books.charges.get(String(intent.latest_charge));
      if (!intent || !charge) return intent?.payment_method ? { captured: 0, refunded: 0, voided: false } : null;
      const voided = intent.status === "canceled";
      return { captured: intent.amount_received, refunded: voided ? 0 : charge.amount_refunded, voided };
    },
    /** Makes pending refunds succeed. */
    decide(account: string): void {
      for (const { id, status } of refundsOf(account)) if (status === "pending") books.endRefund(id, "succeeded");
    },
    /** Fails the refunds that fail later; returns their references. */
    giveBack(account: string): string[] {
      const failing = refundsOf(account).filter((refund) => refund.status !== "failed" && books.refundFails(refund));
      for (const { id } of failing) books.endRefund(id, "failed");
      return failing.map(({ metadata }) => metadata?.[METADATA.reference] ?? "");
    },
  };
}

/** Submits a shopper's result on a challenge page; returns the URL it redirects to. */
export async function answerChallenge(url: string, passed: boolean): Promise<string | null> {
  const body = new URLSearchParams({ answer: passed ? "pass" : "fail" });
  return (await fetch(url, { method: "POST", body, redirect: "manual" })).headers.get("location");
}

export const card = (number: string) => ({ number, exp_month: 12, exp_year: 2099, cvv: "123" });

/** Charges cards; each charge returns the payment's account and kept objects. */
export function chargeAt(processor: Processor) {
  return async (number: string, money = { amount: 10_000, currency: "USD" }, holder?: CardHolder) => {
    const [account, reference] = [newId(), newId()];
    const { token } = await processor.tokenize(account, card(number), holder);
    const objects: { kind: string; id: string }[] = [];
    const called = {
      account,
      objects,
      challengePage: "https://cardlane.example/challenge/x",
      notAfter: new Date(Date.now() + 60_000),
      keep: async (object: { kind: string; id: string }) => void objects.push(object),
    };
    const request = {
      ...called,
      reference,
      token,
      ...money,
      capture: true,
      customerEmail: null,
      billingAddress: null,
      description: null,
      metadata: {},
    };
    return { account, reference, objects, called, outcome: await processor.authorize(request) };
  };
}
