import {
  type ApprovalRow,
  closeEnded,
  countOpenRequests,
  endRequest,
  findApprovalRequest,
  findRule,
  insertApprovalRequest,
  listRequestsOf,
  listApprovalRequests as selectRequests,
} from "@/db/queries/approvals";
import { findPayment } from "@/db/queries/payments/payments";
import type { ApprovalRequest } from "@/lib/contract/approvals/approvals";
import { APPROVAL_DAYS, type ApprovalStatus, mayDecideRefunds } from "@/lib/contract/approvals/words";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import type { RefundReason } from "@/lib/contract/transactions/words";
import { idTime, newId } from "@/lib/ids";
import type { SignedInUser } from "../accounts/sessions";
import { type Context, environmentNow, resourceNotFound } from "../context";
import { recordAct } from "../events/event";
import { followUpRefusal } from "../payments/follow-up";

const DAY_MS = 86_400_000;

/** The member who requests or decides. */
export type Member = Pick<SignedInUser, "userId" | "name" | "email" | "role">;

const nameOf = ({ name, email }: Member): string => name ?? email;

type RefundRequest = {
  /** Public id of the payment. */
  subject: string;
  parameters: {
    amount: number;
    reason?: RefundReason | undefined;
    comment?: string | undefined;
    acknowledge_dispute?: true | undefined;
  };
  reason: string;
};

/** Requests a refund that the payment allows now. A payment has one open request. */
export async function requestRefund(
  ctx: Context,
  { subject, parameters, reason, user }: RefundRequest & { user: Member },
): Promise<ApprovalRequest> {
  const { environment, service } = ctx;
  const within = service.db.within(environment.id);
  const paymentId = decodeId("payment", subject);
  const snapshot = paymentId && (await findPayment(within.sql, environment.id, paymentId));
  if (!paymentId || !snapshot) throw resourceNotFound("payment", subject);
  const { amount, acknowledge_dispute = false } = parameters;
  const order = { kind: "refund" as const, amount, acknowledgesDispute: acknowledge_dispute };
  const times = { now: environmentNow(ctx), partialCapture: true };
  const refused = followUpRefusal(order, "payment", null, snapshot, times);
  if (refused) throw refused;
  const id = newId();
  const created_at = idTime(id);
  const isAdded = await within.orm.transaction(async (tx) => {
    await closeEnded(tx, environment.id, paymentId);
    const added = await insertApprovalRequest(tx, {
      environment_id: environment.id,
      id,
      action: "REFUND",
      subject_id: paymentId,
      amount,
      currency: snapshot.payment.currency,
      parameters: { reason: parameters.reason ?? null, comment: parameters.comment ?? null, acknowledge_dispute },
      reason,
      status: "PENDING",
      requested_by: user.userId,
      requested_by_name: nameOf(user),
      decided_by: null,
      decided_by_name: null,
      decided_at: null,
      comment: null,
      operation_id: null,
      mail_due: true,
      created_at,
      expires_at: new Date(Date.parse(created_at) + APPROVAL_DAYS * DAY_MS).toISOString(),
    });
    if (added) await recordAct(ctx, tx, "approval_request.created", id, { reason });
    return added;
  });
  if (!isAdded) {
    throw new AppError(
      "invalid_state",
      "A refund of this payment is waiting for approval already. Withdraw that request first, or have it decided.",
    );
  }
  return getRequest(ctx, { id: encodeId("approval", id), user });
}

/** Throws `resource_not_found` for unknown and foreign ids. */
export async function getRequest(ctx: Context, input: { id: string; user: Member }): Promise<ApprovalRequest> {
  return presentRequest(await findRow(ctx, input.id), await viewerOf(ctx, input.user));
}

/** A member who sees a request, and whether their role decides on the requests of others. */
type Viewer = { readonly userId: string; readonly decides: boolean };

const viewerOf = async (ctx: Context, user: Member): Promise<Viewer> => ({
  userId: user.userId,
  decides: await mayDecide(ctx, user),
});

/** Throws `resource_not_found` for unknown and foreign ids. */
export async function findRow({ service, environment }: Context, publicId: string): Promise<ApprovalRow> {
  const id = decodeId("approval", publicId);
  const row = id && (await findApprovalRequest(service.db.within(environment.id).sql, environment.id, id));
  if (!row) throw resourceNotFound("approval request", publicId);
  return row;
}

/** One page, newest first: those to decide, or those that have ended. */
export async function listRequests(
  ctx: Context,
  { user, ...page }: { isOpen: boolean; limit: number; offset: number; user: Member },
): Promise<{ data: ApprovalRequest[]; has_more: boolean }> {
  const { id } = ctx.environment;
  const rows = await selectRequests(ctx.service.db.within(id).sql, id, { ...page, limit: page.limit + 1 });
  const viewer = await viewerOf(ctx, user);
  const data = rows.slice(0, page.limit).map((row) => presentRequest(row, viewer));
  return { data, has_more: rows.length > page.limit };
}

const MAX_OF_PAYMENT = 20;

/** A payment's requests, newest first. Throws `resource_not_found` for unknown and foreign payments. */
export async function listPaymentRequests(
  ctx: Context,
  input: { subject: string; user: Member },
): Promise<ApprovalRequest[]> {
  const { id } = ctx.environment;
  const { sql } = ctx.service.db.within(id);
  const paymentId = decodeId("payment", input.subject);
  if (!paymentId || !(await findPayment(sql, id, paymentId))) throw resourceNotFound("payment", input.subject);
  const rows = await listRequestsOf(sql, id, paymentId, MAX_OF_PAYMENT);
  if (rows.length === 0) return [];
  const viewer = await viewerOf(ctx, input.user);
  return rows.map((row) => presentRequest(row, viewer));
}

/** Highest number that the menu shows. */
const MAX_COUNTED = 99;

/**
 * For the menu: the number of open requests that this member may decide, at most one more than
 * {@link MAX_COUNTED}. Null while nobody's refunds need approval and no request is open.
 */
export async function findMenuCount(ctx: Context, user: Member): Promise<number | null> {
  const { sql, orm } = ctx.service.db.within(ctx.environment.id);
  const [rule, open] = await Promise.all([
    findRule(orm, ctx.environment.id, "REFUND"),
    countOpenRequests(sql, ctx.environment.id, user.userId, MAX_COUNTED + 1),
  ]);
  if (!rule?.roles.length && open === 0) return null;
  return mayDecideRefunds(user.role, rule) ? open : 0;
}

/** True if a member's role may decide on the requests of others. */
async function mayDecide({ service, environment }: Context, { role }: Pick<Member, "role">): Promise<boolean> {
  if (role !== "finance") return mayDecideRefunds(role, null);
  return mayDecideRefunds(role, await findRule(service.db.within(environment.id).orm, environment.id, "REFUND"));
}

/** Rejects another member's request. Nothing is refunded. */
export async function rejectRequest(
  ctx: Context,
  input: { id: string; comment?: string | undefined; user: Member },
): Promise<ApprovalRequest> {
  const { user } = input;
  const row = await findRow(ctx, input.id);
  await requireDecider(ctx, row, user);
  const decided_at = ctx.service.clock.now().toISOString();
  const decision = { decided_by: user.userId, decided_by_name: nameOf(user), decided_at };
  await end(ctx, row, "REJECTED", { ...decision, comment: input.comment ?? null, notRequestedBy: user.userId });
  return getRequest(ctx, input);
}

/** Withdraws the member's own request. */
export async function withdrawRequest(ctx: Context, input: { id: string; user: Member }): Promise<ApprovalRequest> {
  const row = await findRow(ctx, input.id);
  if (row.requested_by !== input.user.userId) {
    throw new AppError("permission_denied", `Only ${row.requested_by_name} can withdraw this request.`);
  }
  await end(ctx, row, "WITHDRAWN", { requestedBy: input.user.userId });
  return getRequest(ctx, input);
}

/** Stores that an approval could not be carried out, with the reason. */
export const failRequest = (ctx: Context, row: ApprovalRow, comment: string): Promise<void> =>
  end(ctx, row, "FAILED", { comment });

async function end(
  ctx: Context,
  row: ApprovalRow,
  status: Parameters<typeof endRequest>[3],
  change: Parameters<typeof endRequest>[4],
): Promise<void> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const isEnded = await orm.transaction(async (tx) => {
    const ended = await endRequest(tx, ctx.environment.id, row.id, status, change);
    const detail = { name: row.requested_by_name, ...(change.comment && { reason: change.comment }) };
    if (ended) await recordAct(ctx, tx, `approval_request.${status.toLowerCase()}`, row.id, detail);
    return ended;
  });
  if (!isEnded) throw notOpen(await findRow(ctx, encodeId("approval", row.id)));
}

/** Throws unless the request is open, and this member may decide it. */
export async function requireDecider(ctx: Context, row: ApprovalRow, user: Member): Promise<void> {
  if (row.requested_by === user.userId) {
    throw new AppError("permission_denied", "This is your own request. Another member of the team has to decide it.");
  }
  if (!(await mayDecide(ctx, user))) {
    throw new AppError("permission_denied", "Your role can’t decide on refunds. Ask an owner or admin.");
  }
  if (row.status !== "PENDING") throw notOpen(row);
}

export function notOpen(row: ApprovalRow): AppError {
  const extra = { current_status: row.status, allowed_actions: [] };
  return new AppError("invalid_state", `${ENDED[row.status](row)} Nothing was changed.`, { extra });
}

const ENDED: Record<ApprovalStatus, (row: ApprovalRow) => string> = {
  PENDING: () => "This request is being decided right now. Try again in a moment.",
  APPROVED: ({ decided_by_name }) => `${decided_by_name} approved this request already.`,
  REJECTED: ({ decided_by_name }) => `${decided_by_name} rejected this request already.`,
  WITHDRAWN: () => "This request was withdrawn.",
  EXPIRED: () => `Nobody decided this request within ${APPROVAL_DAYS} days, so it has expired.`,
  FAILED: () => "The payment has changed, so this refund can no longer be made.",
};

function presentRequest(row: ApprovalRow, { userId, decides }: Viewer): ApprovalRequest {
  const isOwn = row.requested_by === userId;
  return {
    id: encodeId("approval", row.id),
    object: "approval_request",
    action: row.action,
    subject: encodeId("payment", row.subject_id),
    parameters: { ...row.parameters, amount: row.amount, currency: row.currency },
    reason: row.reason,
    status: row.status,
    requested_by: { id: encodeId("user", row.requested_by), name: row.requested_by_name },
    decided_by:
      row.decided_by === null || row.decided_by_name === null
        ? null
        : { id: encodeId("user", row.decided_by), name: row.decided_by_name },
    decided_at: row.decided_at,
    comment: row.comment ?? (row.status === "FAILED" ? "The payment no longer allows this refund." : null),
    result: encodeIdOrNull("transaction", row.refund_id),
    available_actions: row.status !== "PENDING" ? [] : isOwn ? ["withdraw"] : decides ? ["approve", "reject"] : [],
    expires_at: row.expires_at,
    created_at: row.created_at,
  };
}
