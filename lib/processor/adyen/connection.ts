import type { ConnectionCheck } from "../port";
import type { Dispute, ProcessorObject } from "../records";
import { fromAdyenAmount } from "./amounts";
import type { AdyenCredentials } from "./credentials";
import { type Notice, timeOf } from "./notices";
import type { Requests } from "./requests";

/**
 * Lists payment methods, which moves no money and fails unless the key, the account and the host are right.
 */
export async function checkConnection(
  requests: Requests,
  { merchant_account: account, live_url_prefix: prefix }: AdyenCredentials,
  live: boolean,
): Promise<ConnectionCheck> {
  if (live && !prefix)
    return refused("Live payments need the prefix of your live address: Customer Area → Developers → API URLs.");
  const response = await requests.post("/paymentMethods", { merchantAccount: account });
  if (response.kind === "answered") return { kind: "works", id: account, account, live };
  if (response.kind !== "refused") {
    const reason = "reason" in response ? response.reason : "Adyen is busy";
    const host = live ? ` Check the prefix ${prefix} under Customer Area → Developers → API URLs.` : "";
    return { kind: "unreachable", reason: `Adyen could not be reached (${reason}).${host}` };
  }
  if (response.status === 401)
    return refused(
      `Adyen does not know this API key. ${live ? "A live key comes from the live" : "A test key comes from the test"} Customer Area, under Developers → API credentials.`,
    );
  if (response.status === 403 && response.code === "901")
    return refused(`There is no merchant account ${account}, or this API key may not use it.`);
  if (response.status === 403)
    return refused("This API key may not make payments. Give its user the role Checkout webservice role.");
  return refused(`${response.message}.`);
}

const refused = (reason: string): ConnectionCheck => ({ kind: "refused", reason });

/** Only payments have a page, which also shows their captures and refunds. */
export function dashboardUrl({ kind, id }: ProcessorObject, live: boolean): string | null {
  if (kind !== "payment") return null;
  const area = live ? "ca-live" : "ca-test";
  return `https://${area}.adyen.com/ca/ca/accounts/showTx.shtml?txType=Payment&pspReference=${encodeURIComponent(id)}`;
}

/** A dispute's state by Adyen's latest webhook; null without one. */
export function disputeOf(id: string, notices: readonly Notice[]): Dispute | null {
  const about = notices.filter(({ dispute }) => dispute).sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const [first] = about;
  const last = about.at(-1);
  if (!first || !last) return null;
  const before = about.findLast(({ dispute }) => dispute?.respondBefore)?.dispute?.respondBefore ?? null;
  const code = about.findLast(({ dispute }) => dispute?.reasonCode)?.dispute?.reasonCode ?? null;
  return {
    id,
    amount: fromAdyenAmount(last.amount),
    currency: last.amount.currency,
    reason: disputeReason(code),
    network_reason_code: code,
    fee: null,
    withdrawn: about.some(({ event, dispute }) => TAKES_MONEY.has(event) || dispute?.status === "Lost"),
    status: disputeStatus(last),
    respond_by: before === null ? null : timeOf(before),
    created_at: new Date(first.at),
  };
}

/** Events of a chargeback that was booked; a notice of one, and a request for information, come before. */
const TAKES_MONEY: ReadonlySet<string> = new Set([
  ...["CHARGEBACK", "CHARGEBACK_REVERSED", "SECOND_CHARGEBACK", "PREARBITRATION_WON", "PREARBITRATION_LOST"],
  "DISPUTE_DEFENSE_PERIOD_ENDED",
]);

/** Visa's, Mastercard's and American Express's codes, whose meaning differs little between processors. */
const REASONS: ReadonlyMap<string, Dispute["reason"]> = new Map([
  ...[
    "10.1",
    "10.2",
    "10.3",
    "10.4",
    "10.5",
    "4837",
    "4863",
    "4870",
    "4871",
    "F10",
    "F14",
    "F24",
    "F29",
    "F30",
    "F31",
  ].map((code) => [code, "FRAUDULENT"] as const),
  ...["13.1", "4855", "C08"].map((code) => [code, "NOT_RECEIVED"] as const),
  ...["13.3", "13.4", "13.5", "C31", "C32"].map((code) => [code, "NOT_AS_DESCRIBED"] as const),
  ...["12.6.1", "12.6.2", "12.6", "4834", "P08"].map((code) => [code, "DUPLICATE"] as const),
  ...["13.2", "13.7", "4841", "C05", "C28"].map((code) => [code, "CANCELLED"] as const),
  ...["13.6", "4860", "C02"].map((code) => [code, "CREDIT_NOT_PROCESSED"] as const),
]);

const disputeReason = (code: string | null): Dispute["reason"] => (code !== null && REASONS.get(code)) || "OTHER";

function disputeStatus({ event, dispute }: Notice): Dispute["status"] {
  switch (dispute?.status) {
    case "Won":
      return "won";
    case "Lost":
      return "lost";
    case "Accepted":
      return "accepted";
    // An unanswered request for information takes no money by itself; a chargeback took it when it came.
    case "Expired":
      return event === "REQUEST_FOR_INFORMATION" ? "won" : "lost";
    // Open chargebacks have this status, too: another event reports the end of the time to respond.
    case "Undefended":
      return disputeStatusOf(event);
    case "Responded":
    case "Pending":
      return "under_review";
    default:
      return disputeStatusOf(event);
  }
}

/** The status that an event type implies. */
function disputeStatusOf(event: Notice["event"]): Dispute["status"] {
  switch (event) {
    case "INFORMATION_SUPPLIED":
    case "CHARGEBACK_REVERSED":
      return "under_review";
    case "PREARBITRATION_WON":
    case "ISSUER_RESPONSE_TIMEFRAME_EXPIRED":
      return "won";
    case "PREARBITRATION_LOST":
    case "DISPUTE_DEFENSE_PERIOD_ENDED":
    case "SECOND_CHARGEBACK":
      return "lost";

    default:
      return "needs_response";
  }
}
