import type { InsideOperation, ProcessorAnswer } from "@/lib/contract/support/payment-inside";
import type { Mode } from "@/lib/contract/transaction-words";
import type { Inquiry, Outcome } from "@/lib/processor/port";
import type { Service } from "../context";

/** The newest operations are asked about, so many at most. */
const MAX_ASKED = 20;

/**
 * What the processor itself says became of each operation. Only asks: it moves no money and changes nothing in our books;
 * an answer that does not come is one of kind `unknown`. Says nothing in the audit log: whoever shows the payment does.
 */
export function askProcessor(
  service: Pick<Service, "processors">,
  input: { mode: Mode; operations: readonly InsideOperation[] },
): Promise<ProcessorAnswer[]> {
  const processor = service.processors.processorFor(input.mode);
  return Promise.all(
    input.operations.slice(0, MAX_ASKED).map(async ({ id: reference }): Promise<ProcessorAnswer> => {
      if (!processor) return { reference, kind: "none", text: "no processor is configured for this mode" };
      const answer = await processor.inquire(reference);
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
