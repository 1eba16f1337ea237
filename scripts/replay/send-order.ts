import { problem } from "@/lib/contract/errors";
import { type Payment, payment } from "@/lib/contract/payments/payment";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";
import { type Client, describe } from "./client";
import type { Order } from "./orders";
import { randomFor } from "./random";

const APPROVED_CARDS = SANDBOX_CARDS.filter((card) => card.group === "approved");

/** The order's last word from the service: its payment, or why there is none. */
export type SentOrder = { order: Order; paymentId: string | null; failure: string | null };

type Step = { action: "capture" | "void" | "refund"; body: object };

/** What follows the authorization, as the shop's back office would do it. */
function stepsOf(order: Order): Step[] {
  const capture: Step = { action: "capture", body: {} };
  switch (order.ending) {
    case "AUTHORIZED":
      return [];
    case "CAPTURED":
      return [capture];
    case "VOIDED":
      return [{ action: "void", body: { reason: "Order canceled" } }];
    case "REFUNDED":
      return [capture, { action: "refund", body: { reason: "OTHER", comment: "Order unavailable" } }];
    default:
      return order.ending satisfies never;
  }
}

/** Sends one order's payment and what became of it. Every call has a key that follows from the order alone. */
export async function sendOrder(client: Client, order: Order, seed: number): Promise<SentOrder> {
  const random = randomFor(seed, order.key);
  const created = await createPayment(client, order, random);
  if (created.status !== 201) return { order, paymentId: null, failure: `create: ${describe(created)}` };
  const { id } = payment.parse(created.body) satisfies Payment;
  for (const { action, body } of stepsOf(order)) {
    const answer = await client.post(`/v1/payments/${id}/${action}`, `${order.key}-${action}`, body, random);
    if (answer.status !== 200 && answer.status !== 201) {
      return { order, paymentId: id, failure: `${action}: ${describe(answer)}` };
    }
  }
  return { order, paymentId: id, failure: null };
}

/** Payments that provably failed, with no money moved, are tried again as a checkout would: with a new key. */
const CREATE_TRIES = 3;

async function createPayment(client: Client, order: Order, random: () => number) {
  for (let tries = 1; ; tries++) {
    const key = tries === 1 ? order.key : `${order.key}-try-${tries}`;
    const created = await client.post("/v1/payments", key, createBody(order), random);
    const failed = created.status === 402 && problem.safeParse(created.body).data?.code === "payment_failed";
    if (!failed || tries === CREATE_TRIES) return created;
  }
}

/** The same order makes the same body on every run, whatever the seed: the key is only good for one body. */
function createBody(order: Order) {
  const card = pick(APPROVED_CARDS, randomFor(0, order.customer_id)());
  return {
    amount: order.amount,
    currency: order.currency,
    capture_method: "manual",
    card: { number: card.number, exp_month: 12, exp_year: 2035, cvv: card.brand === "amex" ? "1234" : "123" },
    customer_id: order.customer_id,
    description: `Order ${order.order_id}`,
    metadata: {
      order_id: order.order_id,
      payment_sequential: order.payment_sequential,
      replay_key: order.key,
      purchased_at: order.purchased_at,
      installments: order.installments,
    },
  };
}

function pick<T>(items: readonly T[], share: number): T {
  return items[Math.floor(share * items.length)] as T;
}
