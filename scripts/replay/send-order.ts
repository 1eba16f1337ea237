import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";
import { seededRandom } from "@/lib/seeded-random";
import {
  type Cardlane,
  CardlaneError,
  type CreatePaymentRequest,
  type Payment,
  PaymentFailedError,
  type RequestOptions,
} from "@/packages/node/src/index";
import type { Client } from "./client";
import type { Order } from "./orders";

const APPROVED_CARDS = SANDBOX_CARDS.filter((card) => card.group === "approved");

/** Outcome of an order: its payment, or the reason why there is none. */
export type SentOrder = { order: Order; paymentId: string | null; failure: string | null };

type Step = {
  action: "capture" | "void" | "refund";
  send: (cardlane: Cardlane, id: string, options: RequestOptions) => ReturnType<Cardlane["payments"]["capture"]>;
};

const CAPTURE: Step = { action: "capture", send: ({ payments }, id, options) => payments.capture(id, {}, options) };
const VOID: Step = {
  action: "void",
  send: ({ payments }, id, options) => payments.void(id, { reason: "Order canceled" }, options),
};
const REFUND: Step = {
  action: "refund",
  send: ({ payments }, id, options) => payments.refund(id, { reason: "OTHER", comment: "Order unavailable" }, options),
};

/** Calls after the authorization, as a shop's back office makes them. */
const STEPS: Record<Order["ending"], readonly Step[]> = {
  AUTHORIZED: [],
  CAPTURED: [CAPTURE],
  VOIDED: [VOID],
  REFUNDED: [CAPTURE, REFUND],
};

/** Sends an order's payment and its follow-up calls. Idempotency keys depend only on the order. */
export async function sendOrder(client: Client, order: Order, seed: number): Promise<SentOrder> {
  const random = seededRandom(`${seed} ${order.key}`);
  let step = "create";
  let paymentId: string | null = null;
  try {
    const { id } = await createPayment(client, order, random);
    paymentId = id;
    for (const { action, send } of STEPS[order.ending]) {
      step = action;
      await client.send(`${order.key}-${action}`, random, (cardlane, options) => send(cardlane, id, options));
    }
    return { order, paymentId, failure: null };
  } catch (error) {
    if (!(error instanceof CardlaneError)) throw error;
    return { order, paymentId, failure: `${step}: ${error.message}` };
  }
}

/**
 * Max attempts to create a payment. Each retry follows a failure that provably moved no money, and has a new
 * key, as in a checkout.
 */
const CREATE_TRIES = 3;

async function createPayment(client: Client, order: Order, random: () => number): Promise<Payment> {
  for (let tries = 1; ; tries++) {
    const key = tries === 1 ? order.key : `${order.key}-try-${tries}`;
    try {
      return await client.send(key, random, (cardlane, options) =>
        cardlane.payments.create(createBody(order), options),
      );
    } catch (error) {
      const failed = error instanceof PaymentFailedError && error.code === "payment_failed";
      if (!failed || tries === CREATE_TRIES) throw error;
    }
  }
}

/** The same body for an order in every run, whatever the seed, because its key accepts only one body. */
function createBody(order: Order): CreatePaymentRequest {
  const card = pick(APPROVED_CARDS, seededRandom(order.customer_id)());
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
