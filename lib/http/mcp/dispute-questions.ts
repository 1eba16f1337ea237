/** Questions to the user before the one response to a dispute is sent, which is final. */
import type { Dispute } from "@/lib/contract/disputes/dispute";
import { acceptDispute, getDispute, submitDispute } from "@/lib/contract/disputes/endpoints";
import type { Endpoint } from "@/lib/contract/endpoint";
import { fullTimeText, moneyTextWithCode } from "@/lib/contract/format";
import { DISPUTE_REASON_WORDS } from "@/lib/contract/payments/words";
import { nothingToSubmit } from "@/lib/domain/disputes/respond";
import { requireAnswerable } from "@/lib/domain/disputes/update-evidence";
import { type Call, callEndpoint, type EndpointInput, type EndpointResponse } from "./endpoint-calls";
import type { Question } from "./subscription-questions";

/** The question for a response to a dispute; null for any other endpoint. A response is an error to pass on. */
export async function disputeQuestion(
  call: Call,
  endpoint: Endpoint,
  { id }: EndpointInput,
): Promise<Question | EndpointResponse | null> {
  if (endpoint.name !== submitDispute.name && endpoint.name !== acceptDispute.name) return null;
  const response = await callEndpoint(call, getDispute, { id });
  if (response.status >= 400) return response;
  const found = response.data as Dispute;
  requireAnswerable(found);
  return endpoint.name === submitDispute.name ? ofSubmit(found) : ofAccept(found);
}

function ofSubmit(found: Dispute): Question {
  const { files, ...texts } = found.evidence;
  const given = Object.entries(texts).flatMap(([name, value]) => (value === null ? [] : [name.replaceAll("_", " ")]));
  if (files.length > 0) given.push(files.length === 1 ? "1 file" : `${files.length} files`);
  if (given.length === 0) throw nothingToSubmit();
  return {
    text: `Submit the evidence for ${named(found)}? It goes to the cardholder's bank once, and can't be changed afterwards. It has: ${given.join(", ")}.`,
    amount: null,
    button: "Yes, submit the evidence",
  };
}

function ofAccept(found: Dispute): Question {
  const money = moneyTextWithCode(found.amount, found.currency);
  const fee = found.fee ? ` and the fee of ${moneyTextWithCode(found.fee, found.currency)}` : "";
  return {
    text: `Accept ${named(found)}? The cardholder keeps the money: ${money}${fee} are lost for good, and this can't be undone.`,
    amount: null,
    button: `Yes, give up ${money}`,
  };
}

function named({ id, payment_id, amount, currency, reason, respond_by }: Dispute): string {
  const deadline = respond_by === null ? "" : `, respond by ${fullTimeText(new Date(respond_by), "UTC")}`;
  const about = `${moneyTextWithCode(amount, currency)}, ${DISPUTE_REASON_WORDS[reason].toLowerCase()}${deadline}`;
  return `dispute ${id} of payment ${payment_id} (${about})`;
}
