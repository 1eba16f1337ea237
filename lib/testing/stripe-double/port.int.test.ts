import { afterAll } from "vitest";
import { systemClock } from "@/lib/clock";
import { portSuite } from "@/lib/processor/port-suite";
import { testCard } from "@/lib/processor/port-suite-calls";
import { createStripeProcessor } from "@/lib/processor/stripe/connector";
import { METADATA } from "@/lib/processor/stripe/outcomes";
import { memoryJournal } from "../memory-journal";
import { eventsOf, messageOf, TEST_WEBHOOK_SECRET } from "./deliveries";
import { startDouble } from "./double";

const double = await startDouble();
afterAll(() => double.stop());
const { books } = double;

portSuite("Stripe's double", {
  processor: createStripeProcessor({
    name: "stripe-test",
    credentials: { secret_key: double.secretKey, webhook_secret: TEST_WEBHOOK_SECRET },
    settings: { live: false, rawCards: true },
    timeoutMs: 8_000,
    clock: systemClock,
    journal: memoryJournal(),
    endpoint: double.endpoint,
  }),
  cards: {
    approved: testCard("4242424242424242"),
    declined: testCard("4000000000009995"),
    challenged: testCard("4000000000003220"),
    refundComesBack: testCard("4000000000005126"),
  },
  async money(reference) {
    const intent = [...books.intents.values()].find(({ metadata }) => metadata[METADATA.reference] === reference);
    const charge = intent && books.charges.get(String(intent.latest_charge));
    if (!intent || !charge) return intent?.payment_method ? { captured: 0, refunded: 0, voided: false } : null;
    const voided = intent.status === "canceled";
    return { captured: intent.amount_received, refunded: voided ? 0 : charge.amount_refunded, voided };
  },
  decide: async (account) => {
    for (const refund of refundsOf(account)) if (refund.status === "pending") books.endRefund(refund.id, "succeeded");
  },
  giveBack: async (account) => {
    for (const refund of refundsOf(account)) if (books.refundFails(refund)) books.endRefund(refund.id, "failed");
  },
  answerChallenge: async (url, passed) => {
    const body = new URLSearchParams({ answer: passed ? "pass" : "fail" });
    await fetch(url, { method: "POST", body, redirect: "manual" });
  },
  messages: async (account) => eventsOf(double, account).map((event) => messageOf(event)),
  unusedCards: null,
  recordsFirst: false,
});

const refundsOf = (account: string) =>
  [...books.refunds.values()].filter(
    (refund) => books.intent(String(refund.payment_intent)).metadata[METADATA.account] === account,
  );
