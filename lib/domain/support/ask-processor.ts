import { findShortPayment } from "@/db/queries/payments";
import { decodeId } from "@/lib/contract/ids";
import type { PaymentInside, ProcessorAnswer } from "@/lib/contract/support/payment-inside";
import type { Inquiry, Outcome } from "@/lib/processor/port";
import type { Service } from "../context";
import { inquireProcessor } from "../payments/processor-calls";

/** The newest operations are asked about, so many at most. */
const MAX_ASKED = 20;

/**
 * What the processor itself says became of each operation. Only asks: it moves no money and changes nothing in our books;
 * an answer that does not come is one of kind `unknown`. Says nothing in the audit log: whoever shows the payment does.
 */
export async function askProcessor(
  service: Service,
  { environment, detail, operations }: Pick<PaymentInside, "environment" | "detail" | "operations">,
): Promise<ProcessorAnswer[]> {
  const processor = service.processors.processorFor(environment.mode);
  const environmentId = requireId("environment", environment.id);
  const paymentId = requireId("payment", detail.payment.id);
  const snapshot = await findShortPayment(service.db.within(environmentId).sql, environmentId, paymentId, 1);
  return Promise.all(
    operations.slice(0, MAX_ASKED).map(async ({ id: reference, kind }): Promise<ProcessorAnswer> => {
      if (!processor || !snapshot) return { reference, kind: "none", text: "no processor is configured for this mode" };
      const operation = { id: reference, kind, environmentId, paymentId };
      const answer = await inquireProcessor(service, processor, operation, snapshot.payment.authorization_id);
      return { reference, kind: answer.kind === "never" ? "not_found" : answer.kind, text: textOf(answer) };
    }),
  );
}

function textOf(answer: Inquiry): string | null {
  switch (answer.kind) {
    case "approved":
      return answer.captured === false ? "authorized; the capture at once failed" : checksOf(answer.checks);
    case "declined":
      return answer.decline_code ?? "refused, or it failed later";
    case "action_required":
      return checksOf(answer.checks);
    case "pending":
      return "it is still working on it";
    case "not_found":
      return "it does not know the reference";
    case "never":
      return "it never executed it, and never will";
    case "not_sent":
    case "unknown":
      return answer.reason;
    default:
      return answer satisfies never;
  }
}

function checksOf(checks: Extract<Outcome, { kind: "approved" }>["checks"]): string | null {
  if (!checks) return null;
  const score = checks.fraud_score === null ? "" : `, fraud score ${checks.fraud_score}`;
  return `AVS ${checks.avs_result ?? "–"}, CVV ${checks.cvv_result ?? "–"}${score}`;
}

function requireId(kind: "environment" | "payment", text: string): string {
  const id = decodeId(kind, text);
  if (id === null) throw new Error(`${text} is no ${kind}'s id`);
  return id;
}
