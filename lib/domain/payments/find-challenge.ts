import { timingSafeEqual } from "node:crypto";
import { findEnvironment } from "@/db/queries/merchants";
import { findPayment } from "@/db/queries/payments";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { PaymentStatus } from "@/lib/contract/payment";
import type { Mode } from "@/lib/contract/transaction-words";
import type { Service } from "../context";
import { challengeToken } from "./challenge-url";

/** What the challenge page shows, and what goes on from it. */
export type Challenge = {
  environment: { id: string; mode: Mode };
  /** UUID. */
  paymentId: string;
  merchantName: string;
  status: PaymentStatus;
  /** Minor units. */
  amount: number;
  currency: string;
  cardLast4: string | null;
  /** The merchant's address to go back to, with the payment's id added; null when it gave none. */
  returnUrl: string | null;
};

/** The challenge behind a token of ours; null for any other text. */
export async function findChallenge(service: Service, token: string): Promise<Challenge | null> {
  const [environmentText = "", paymentText = ""] = token.split(".");
  const environmentId = decodeId("environment", environmentText);
  const paymentId = decodeId("payment", paymentText);
  if (!environmentId || !paymentId || !isSame(token, challengeToken(service, { environmentId, paymentId })))
    return null;
  const environment = await findEnvironment(service.db.orm, environmentId);
  const snapshot = await findPayment(service.db.sql, environmentId, paymentId);
  if (!environment || !snapshot) return null;
  const { payment, transactions } = snapshot;
  return {
    environment: { id: environmentId, mode: environment.mode },
    paymentId,
    merchantName: environment.merchant_name,
    status: payment.status,
    amount: payment.amount,
    currency: payment.currency,
    cardLast4: transactions[0]?.card_last4 ?? null,
    returnUrl: payment.return_url && withPaymentId(payment.return_url, encodeId("payment", paymentId)),
  };
}

function withPaymentId(returnUrl: string, paymentId: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set("payment_id", paymentId);
  return url.href;
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
