import type { ApprovalRow, RefundApproval } from "@/db/queries/approvals";
import type { ApprovalRequest } from "@/lib/contract/approvals/approvals";
import type { Problem } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { type Context, environmentNow, type IdempotencyRequest } from "../context";
import { newEvent } from "../events/event";
import { followUp } from "../payments/follow-up";
import { approveAndAct } from "./acts";
import {
  failRequest,
  findRow,
  getRequest,
  type Member,
  notOpen,
  requestData,
  requireApprovable,
  requireDecider,
  rolesOf,
} from "./requests";

/**
 * Approves another member's request and carries it out. For a refund, T1 changes the request to APPROVED in the statement
 * that reserves the refund, under a key of the request: there is nothing to resume between the two, and after a
 * crash the recovery worker finishes the refund like any other.
 */
export async function approveRequest(ctx: Context, input: { id: string; user: Member }): Promise<ApprovalRequest> {
  const row = await findRow(ctx, input.id);
  // A repeat by the approver after a lost response gets the result.
  if (row.status === "APPROVED" && row.decided_by === input.user.userId) return getRequest(ctx, input);
  await requireDecider(ctx, row, input.user);
  if (row.action === "REFUND") await refund(ctx, row, input);
  else if (!(await approveAndAct(ctx, row, input.user))) {
    const now = await findRow(ctx, input.id);
    if (now.decided_by !== input.user.userId) await requireApprovable(ctx, now, input.user);
    if (now.status !== "APPROVED") throw notOpen(now);
  }
  const decided = await getRequest(ctx, input);
  if (decided.status === "APPROVED" && decided.decided_by?.id !== encodeId("user", input.user.userId)) {
    throw notOpen(await findRow(ctx, input.id));
  }
  return decided;
}

async function refund(ctx: Context, row: ApprovalRow, input: { id: string; user: Member }): Promise<void> {
  const { parameters } = row;
  if (!("acknowledge_dispute" in parameters) || row.amount === null) throw new Error("a refund has an amount");
  const subject = encodeId("payment", row.subject_id);
  const { reason, comment, acknowledge_dispute } = parameters;
  const body = {
    amount: row.amount,
    ...(reason !== null && { reason }),
    ...(comment !== null && { comment }),
    ...(acknowledge_dispute && { acknowledge_dispute }),
  };
  const path = `/v1/payments/${subject}/refund`;
  const request = { ...ctx.request, endpoint: "refundPayment", path };
  const reply = await followUp(
    { ...ctx, request, idempotency: keyOf(ctx, row, { path, body }) },
    "payment",
    { kind: "refund", id: subject, ...body },
    {
      approval: approvalOf(ctx, row, input.user),
      refusal: async () => {
        const now = await findRow(ctx, input.id);
        if (now.status !== "PENDING") return notOpen(now);
        await requireApprovable(ctx, now, input.user);
        return null;
      },
    },
  );
  const isOpen = (await findRow(ctx, input.id)).status === "PENDING";
  // A refund that the processor declines is a refusal, too, but of an approved request.
  if (isOpen && reply.status >= 400) await failRequest(ctx, row, (JSON.parse(reply.body) as Problem).detail);
}

function approvalOf(ctx: Context, row: ApprovalRow, user: Member): RefundApproval {
  const at = ctx.service.clock.now().toISOString();
  const after = { ...row, status: "APPROVED" as const, decided_by: user.userId, decided_at: at };
  return {
    id: row.id,
    by: user.userId,
    auditId: newId(),
    requestId: ctx.request.id,
    at,
    roles: rolesOf(row),
    event: (refund_id) => {
      const object = { objectId: row.id, operationId: null };
      const data = requestData(row, { ...after, refund_id }, ctx.environment.mode);
      return newEvent("approval_request.approved", object, data, environmentNow(ctx).toISOString());
    },
  };
}

/** The key of a request's refund, the same for every approver and every try. No caller of the API may use it. */
function keyOf(
  { service: { secret } }: Context,
  { id }: ApprovalRow,
  { path, body }: { path: string; body: object },
): IdempotencyRequest {
  const text = JSON.stringify(body);
  const compared = { card: null, write: () => `POST ${path}\n${text}` };
  return {
    key: `${encodeId("approval", id)}:refund`,
    body: text,
    digest: () => secret.requestDigest(compared),
    isSame: (stored) => secret.isSameRequest(stored, compared),
  };
}
