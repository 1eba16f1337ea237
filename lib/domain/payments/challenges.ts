import { findEnvironment } from "@/db/queries/accounts/merchants";
import { findClientSession } from "@/db/queries/checkout/client-sessions";
import { findChallengedOperation } from "@/db/queries/payments/operations";
import { findPayment } from "@/db/queries/payments/payments";
import { decodeId } from "@/lib/contract/ids";
import type { PaymentStatus } from "@/lib/contract/payments/payment";
import type { Mode } from "@/lib/contract/transactions/words";
import type { ContinueRequest } from "@/lib/processor/port";
import { checkChallengePath, checkSubject, continueCheck } from "../checkout/card-checks";
import { withSessionIds } from "../checkout/pay-session";
import type { Service } from "../context";
import { connectionOf } from "../processors/connection-of";
import { continuePayment } from "./follow-up";
import { continueAfterChallenge } from "./process-reports";
import { challengePath, challengeSubject } from "./processor-calls";

/** Data of the challenge page. */
export type Challenge = {
  environment: { id: string; mode: Mode };
  /** UUID of the payment that waits, or of the client session whose card is checked. */
  subject: { paymentId: string } | { sessionId: string };
  merchantName: string;
  suspended: boolean;
  status: PaymentStatus;
  /** Minor units; null if the card is only stored. */
  amount: number | null;
  currency: string;
  cardLast4: string | null;
  /**
   * The processor's challenge page, from which the shopper returns; null if our own page is the challenge
   * (sandbox).
   */
  processorUrl: string | null;
  /** The challenge is simulated and no real money moves. */
  isSandbox: boolean;
  /** The merchant's return URL with the ids added; null without one. */
  returnUrl: string | null;
  /** Origins that may embed the payment form, and so the challenge; null without a payment form. */
  allowedOrigins: string[] | null;
};

/** The challenge behind a token of ours; null for any other text. */
export async function findChallenge(service: Service, token: string): Promise<Challenge | null> {
  const [environmentText = "", paymentText = "", code = "", ...more] = token.split(".");
  const environmentId = decodeId("environment", environmentText);
  const paymentId = decodeId("payment", paymentText);
  const sessionId = decodeId("clientSession", paymentText);
  if (!environmentId || more.length > 0) return null;
  if (sessionId) return findCheckChallenge(service, token, { environmentId, sessionId });
  if (!paymentId) return null;
  const subject = challengeSubject({ environmentId, paymentId });
  if (token !== `${subject}.${code}` || !service.secret.isMac("challenge", subject, code)) return null;
  const { sql, orm } = service.db.within(environmentId);
  const environment = await findEnvironment(orm, environmentId);
  const snapshot = await findPayment(sql, environmentId, paymentId);
  if (!environment || !snapshot) return null;
  const { payment, transactions } = snapshot;
  const clientSessionId = transactions[0]?.client_session_id ?? null;
  const redirectUrl = payment.next_action?.redirect_to_url.url ?? null;
  const session = clientSessionId ? await findClientSession(sql, environmentId, clientSessionId) : null;
  return {
    environment: { id: environmentId, mode: environment.mode },
    subject: { paymentId },
    merchantName: environment.merchant_name,
    suspended: environment.suspended,
    status: payment.status,
    amount: payment.amount,
    currency: payment.currency,
    cardLast4: transactions[0]?.card_last4 ?? null,
    processorUrl:
      redirectUrl !== null && challengePath(redirectUrl, { environmentId, paymentId }) !== null ? null : redirectUrl,
    isSandbox: environment.mode === "test" && payment.connection_id === null,
    returnUrl: payment.return_url && withSessionIds(payment.return_url, { clientSessionId, paymentId }),
    allowedOrigins: clientSessionId ? (session?.allowed_origins ?? []) : null,
  };
}

/** The challenge of a card check; null for a token that is not ours. */
async function findCheckChallenge(
  service: Service,
  token: string,
  of: { environmentId: string; sessionId: string },
): Promise<Challenge | null> {
  const { environmentId, sessionId } = of;
  const subject = checkSubject(of);
  const code = token.slice(subject.length + 1);
  if (token !== `${subject}.${code}` || !service.secret.isMac("challenge", subject, code)) return null;
  const { sql, orm } = service.db.within(environmentId);
  const environment = await findEnvironment(orm, environmentId);
  const session = await findClientSession(sql, environmentId, sessionId);
  if (!environment || !session) return null;
  const { card_check: check, payment_method_id: paymentMethodId } = session;
  const url = check?.challenge?.url ?? null;
  return {
    environment: { id: environmentId, mode: environment.mode },
    subject: { sessionId },
    merchantName: environment.merchant_name,
    suspended: environment.suspended,
    status:
      check?.state === "action_required" ? "REQUIRES_ACTION" : session.status === "COMPLETED" ? "CAPTURED" : "DECLINED",
    amount: null,
    currency: "",
    cardLast4: check?.card.last4 ?? null,
    processorUrl: url !== null && checkChallengePath(url, session) !== null ? null : url,
    isSandbox: environment.mode === "test" && (check?.connection_id ?? null) === null,
    returnUrl:
      session.return_url &&
      withSessionIds(session.return_url, { clientSessionId: sessionId, paymentId: null, paymentMethodId }),
    allowedOrigins: session.allowed_origins,
  };
}

/** Continues what waits for a challenge, with its result. A second result changes nothing. */
export async function continueChallenge(
  service: Service,
  { environment, subject }: Challenge,
  result: ContinueRequest["challenge"],
  returned?: ContinueRequest["returned"],
): Promise<void> {
  if ("paymentId" in subject) await continuePayment(service, environment, subject.paymentId, result, returned);
  else await continueCheck(service, { environmentId: environment.id, sessionId: subject.sessionId }, result, returned);
}

/**
 * Continues a payment whose shopper returned from the processor, exactly once, however often the page is
 * loaded. The processor decides whether the challenge was passed. `query`: of the return URL. Without the
 * processor's parameter in it, the payment continues only if the processor reports the challenge as done.
 */
export async function returnFromChallenge(
  service: Service,
  challenge: Challenge,
  query: URLSearchParams,
): Promise<void> {
  const { environment, subject, suspended } = challenge;
  if ("sessionId" in subject) {
    // The processor knows whether the challenge was passed.
    await continueChallenge(service, challenge, suspended ? "abandoned" : "passed", Object.fromEntries(query));
    return;
  }
  const { paymentId } = subject;
  const at = await connectionOf(service, environment, paymentId);
  if (!at) return;
  const { returnParameter: name } = at.processor;
  const value = name === undefined ? null : query.get(name);
  // A suspended merchant takes no money, even if the shopper has passed the challenge.
  if (suspended) await continuePayment(service, environment, paymentId, "abandoned");
  else if (name && value) await continuePayment(service, environment, paymentId, "passed", { [name]: value });
  else {
    const { sql } = service.db.within(environment.id);
    const row = await findChallengedOperation(sql, environment.id, paymentId);
    if (row) await continueAfterChallenge(service, at, row, null);
  }
}
