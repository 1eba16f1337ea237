import { type AppError, problemBody } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { Answer, AnsweredRequest, RenderAnswer, Result } from "@/lib/domain/context";
import { presentPayment, presentTransaction } from "@/lib/domain/payments/present";

const CREATES: ReadonlySet<string> = new Set(["createPayment", "refundPayment", "refundTransaction"]);

/** Makes the answers to money requests: their status and exact bytes, as they are sent and stored. */
export function answerRenderer(baseUrl: string): RenderAnswer {
  return (request, result) =>
    result.kind === "refused"
      ? { status: result.error.status, body: problemText(baseUrl, result.error, request) }
      : shown(request, result);
}

/** The payment, or the transaction where the endpoint answers one; 202 with status PENDING while the outcome is unknown. */
function shown(request: AnsweredRequest, result: Exclude<Result, { kind: "refused" }>): Answer {
  const { snapshot, transactionId, mode } = result;
  const { payment, transactions } = snapshot;
  const body = request.operationName.endsWith("Transaction")
    ? presentTransaction(required(transactions, transactionId), payment, mode)
    : presentPayment(payment, transactions, mode);
  if (result.kind === "done") {
    return { status: CREATES.has(request.operationName) ? 201 : 200, body: JSON.stringify(body) };
  }
  return { status: 202, body: JSON.stringify({ ...body, status: "PENDING", available_actions: [] }) };
}

function required<T extends { id: string }>(rows: readonly T[], id: string): T {
  const row = rows.find((one) => one.id === id);
  if (!row) throw new Error(`transaction ${id} is not among its payment's`);
  return row;
}

/** A refusal as it is sent: RFC 9457, made here and nowhere else. */
export function problemText(
  baseUrl: string,
  error: AppError,
  request: Pick<AnsweredRequest, "path" | "requestId">,
): string {
  return JSON.stringify(
    problemBody(error, {
      instance: request.path,
      requestId: encodeId("request", request.requestId),
      docsUrl: `${baseUrl}/docs`,
    }),
  );
}
