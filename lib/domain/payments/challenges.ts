import { findEnvironment } from "@/db/queries/accounts/merchants";
import { findClientSession } from "@/db/queries/checkout/client-sessions";
import { findPayment } from "@/db/queries/payments/payments";
import { decodeId } from "@/lib/contract/ids";
import type { PaymentStatus } from "@/lib/contract/payments/payment";
import type { Mode } from "@/lib/contract/transactions/words";
import { withSessionIds } from "../checkout/pay-session";
import type { Service } from "../context";
import { challengeSubject } from "./processor-calls";

/** What the challenge page shows, and what it needs to continue the payment. */
export type Challenge = {
  environment: { id: string; mode: Mode };
  /** UUID. */
  paymentId: string;
  merchantName: string;
  suspended: boolean;
  status: PaymentStatus;
  /** Minor units. */
  amount: number;
  currency: string;
  cardLast4: string | null;
  /** The merchant's return address, with the ids added; null when it gave none. */
  returnUrl: string | null;
  /** Origins that may embed its payment form, and so the challenge; null without a payment form. */
  allowedOrigins: string[] | null;
};

/** The challenge behind one of our tokens; null for any other text. */
export async function findChallenge(service: Service, token: string): Promise<Challenge | null> {
  const [environmentText = "", paymentText = "", code = "", ...more] = token.split(".");
  const environmentId = decodeId("environment", environmentText);
  const paymentId = decodeId("payment", paymentText);
  if (!environmentId || !paymentId || more.length > 0) return null;
  const subject = challengeSubject({ environmentId, paymentId });
  if (token !== `${subject}.${code}` || !service.secret.isMac("challenge", subject, code)) return null;
  const { sql, orm } = service.db.within(environmentId);
  const environment = await findEnvironment(orm, environmentId);
  const snapshot = await findPayment(sql, environmentId, paymentId);
  if (!environment || !snapshot) return null;
  const { payment, transactions } = snapshot;
  const clientSessionId = transactions[0]?.client_session_id ?? null;
  const session = clientSessionId ? await findClientSession(orm, environmentId, clientSessionId) : null;
  return {
    environment: { id: environmentId, mode: environment.mode },
    paymentId,
    merchantName: environment.merchant_name,
    suspended: environment.suspended,
    status: payment.status,
    amount: payment.amount,
    currency: payment.currency,
    cardLast4: transactions[0]?.card_last4 ?? null,
    returnUrl: payment.return_url && withSessionIds(payment.return_url, { clientSessionId, paymentId }),
    allowedOrigins: clientSessionId ? (session?.allowed_origins ?? []) : null,
  };
}
