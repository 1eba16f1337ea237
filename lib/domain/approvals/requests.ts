import type { Orm } from "@/db/client";
import {
  type ApprovalRow,
  closeEndedOf,
  countOpenRequests,
  type EndedRequest,
  endRequest,
  findApprovalRequest,
  findRule,
  hasSameRequest,
  insertApprovalRequest,
  listRequestsOf,
  listRules,
  lockSettings,
  listApprovalRequests as selectRequests,
} from "@/db/queries/approvals";
import { insertAudit } from "@/db/queries/changes";
import { findPayment } from "@/db/queries/payments/payments";
import { hasRole } from "@/db/queries/team";
import type { ApprovalRequestRow } from "@/db/schema/approvals";
import type { ActorRecord } from "@/db/schema/operations";
import type { ApprovalRequest, ApprovalRequestObject } from "@/lib/contract/approvals/approvals";
import {
  APPROVAL_ACTIONS,
  APPROVAL_DAYS,
  APPROVAL_PERMISSIONS,
  type ApprovalAction,
  type ApprovalDecision,
  type ApprovalStatus,
  COLLECT_DAYS,
  decidedBy,
  MAX_COUNTED_REQUESTS,
} from "@/lib/contract/approvals/words";
import { AppError } from "@/lib/contract/errors";
import type { EventData, EventTypeOf } from "@/lib/contract/events/event";
import { decodeId, encodeId, encodeIdOrNull, type IdKind } from "@/lib/contract/ids";
import { MERCHANT_ROLES, type MerchantRole, ROLE_PERMISSIONS, type UserPermission } from "@/lib/contract/permissions";
import { TEST_BANK_ACCOUNT } from "@/lib/contract/settlement/payout";
import { API_ENVIRONMENTS, type Mode } from "@/lib/contract/transactions/words";
import { idTime, newId } from "@/lib/ids";
import type { SignedInUser } from "../accounts/sessions";
import { type Context, resourceNotFound } from "../context";
import { changedMembers, recordAct, recordChangeBy } from "../events/event";

const DAY_MS = 86_400_000;

/** The member who requests or decides. */
export type Member = Pick<SignedInUser, "userId" | "name" | "email" | "role">;

export const nameOf = ({ name, email }: Member): string => name ?? email;

/** Inserts a request and its event. A subject has one open request. */
export async function addRequest(
  ctx: Context,
  user: Member,
  request: Pick<ApprovalRequestRow, "action" | "subject_id" | "amount" | "currency" | "parameters" | "reason">,
): Promise<ApprovalRequest> {
  const { environment, service } = ctx;
  const id = newId();
  const created_at = idTime(id);
  const row: ApprovalRequestRow = {
    ...request,
    environment_id: environment.id,
    id,
    status: "PENDING",
    requested_by: user.userId,
    requested_by_name: nameOf(user),
    decided_by: null,
    decided_by_name: null,
    decided_at: null,
    comment: null,
    operation_id: null,
    key_id: null,
    mail_due: true,
    created_at,
    expires_at: new Date(Date.parse(created_at) + APPROVAL_DAYS * DAY_MS).toISOString(),
  };
  const isAdded = await service.db.within(environment.id).orm.transaction(async (tx) => {
    await closeEndedRequest(ctx, tx, row);
    // A new key is a subject of its own with each request, so a second click would ask for a second key.
    if ("act" in row.parameters && row.parameters.act === "CREATE") {
      await lockSettings(tx, environment.id);
      if (await hasSameRequest(tx, row))
        throw new AppError("invalid_state", `The same key is waiting for approval already. ${FIRST}`);
    }
    const added = await insertApprovalRequest(tx, row);
    if (added) await recordRequest(ctx, tx, "created", { after: row, reason: row.reason });
    return added;
  });
  if (!isAdded) throw new AppError("invalid_state", WAITING[request.action]);
  return getRequest(ctx, { id: encodeId("approval", id), user });
}

const FIRST = "Withdraw that request first, or have it decided.";
const WAITING: Record<ApprovalAction, string> = {
  REFUND: `A refund of this payment is waiting for approval already. ${FIRST}`,
  BANK_ACCOUNT: `Another bank account is waiting for approval already. ${FIRST}`,
  LIVE_KEY: `A change of this key is waiting for approval already. ${FIRST}`,
  APPROVAL_RULE: `A change of the rules is waiting for approval already. ${FIRST}`,
};

/** Records an event of a request with its entry in the activity. */
export async function recordRequest(
  ctx: Context,
  tx: Orm,
  what: "created" | "approved" | "rejected",
  { before, after, ...detail }: { before?: ApprovalRequestRow; after: ApprovalRequestRow; [detail: string]: unknown },
): Promise<void> {
  const { environment, actor, request, service } = ctx;
  const by = { environmentId: environment.id, actor, requestId: request.id };
  const type = `approval_request.${what}` as const;
  const data = requestData(before ?? null, { ...after, refund_id: null }, environment.mode);
  const change = { type, action: type, objectId: after.id, data };
  await recordChangeBy({ ...by, now: service.clock.now(), clock: environment.clock }, tx, change, detail);
}

/** The data of a request's event. `before`: null in its first. */
export function requestData(
  before: ApprovalRequestRow | null,
  after: ApprovalRow,
  mode: Mode,
): EventData<EventTypeOf<"approval_request">> {
  const object = presentObject(after, mode);
  return { object, previous: before && changedMembers(presentObject({ ...before, refund_id: null }, mode), object) };
}

/** Throws `resource_not_found` for unknown and foreign ids, `permission_denied` for what the role doesn't see. */
export async function getRequest(ctx: Context, input: { id: string; user: Member }): Promise<ApprovalRequest> {
  const [row, viewer] = await Promise.all([findRow(ctx, input.id), viewerOf(ctx, input.user)]);
  if (!viewer.sees.includes(row.action) && row.requested_by !== viewer.userId) {
    throw new AppError("permission_denied", "Your role doesn’t see this request. Ask an owner or admin.");
  }
  return presentRequest(ctx, row, viewer);
}

/** A member with the actions whose requests they see, and those on which they decide. */
type Viewer = {
  readonly userId: string;
  readonly sees: readonly ApprovalAction[];
  readonly decides: readonly ApprovalAction[];
};

async function viewerOf(ctx: Context, user: Member): Promise<Viewer> {
  const decides = await decidesOn(ctx, user);
  const may: readonly UserPermission[] = ROLE_PERMISSIONS[user.role];
  const sees = APPROVAL_ACTIONS.filter(
    (action) => may.includes(APPROVAL_PERMISSIONS[action]) || decides.includes(action),
  );
  return { userId: user.userId, sees, decides };
}

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
  const viewer = await viewerOf(ctx, user);
  const found = { ...page, actions: viewer.sees, limit: page.limit + 1 };
  const rows = await selectRequests(ctx.service.db.within(id).sql, id, found);
  const data = rows.slice(0, page.limit).map((row) => presentRequest(ctx, row, viewer));
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
  return rows.map((row) => presentRequest(ctx, row, viewer));
}

/**
 * For the menu and the overview: the number of open requests that this member may decide, at most one more than
 * {@link MAX_COUNTED_REQUESTS}. Null while nothing needs approval and no request is open.
 */
export async function findMenuCount(ctx: Context, user: Member): Promise<number | null> {
  const { sql, orm } = ctx.service.db.within(ctx.environment.id);
  const rules = await listRules(orm, ctx.environment.id);
  const decides = decidedBy(user.role, rules.find(({ action }) => action === "REFUND") ?? null);
  const count = (actions: readonly ApprovalAction[]) =>
    countOpenRequests(sql, ctx.environment.id, { userId: user.userId, actions, limit: MAX_COUNTED_REQUESTS + 1 });
  const open = await count(decides);
  if (open > 0 || rules.some(({ roles }) => roles.length > 0)) return open;
  return (await count(APPROVAL_ACTIONS)) > 0 ? 0 : null;
}

/** Actions on whose requests, made by others, a member's role decides. */
async function decidesOn(
  { service, environment }: Context,
  { role }: Pick<Member, "role">,
): Promise<readonly ApprovalAction[]> {
  if (role !== "finance") return decidedBy(role, null);
  return decidedBy(role, await findRule(service.db.within(environment.id).orm, environment.id, "REFUND"));
}

/** Rejects another member's request. Nothing is done. */
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

/** Roles whose members may still act, so that their requests are still valid. */
export const rolesOf = ({ action }: Pick<ApprovalRow, "action">): MerchantRole[] =>
  MERCHANT_ROLES.filter((role) =>
    (ROLE_PERMISSIONS[role] as readonly UserPermission[]).includes(APPROVAL_PERMISSIONS[action]),
  );

/**
 * Throws unless a refused approval may be tried again. A request that was made while its member lost the role for
 * it fails now, as the change of the role could not withdraw it.
 */
export async function requireApprovable(ctx: Context, row: ApprovalRow, user: Member): Promise<void> {
  await requireDecider(ctx, row, user);
  const { orm } = ctx.service.db.within(ctx.environment.id);
  if (await hasRole(orm, row.requested_by, rolesOf(row))) return;
  await failRequest(ctx, row, `${row.requested_by_name} may no longer do this, so it can’t be approved.`);
  throw notOpen(await findRow(ctx, encodeId("approval", row.id)));
}

/**
 * Stores the end of a subject's open request whose time is over or whose subject changed. Call it in the
 * transaction of a change that could be reversed, because a request that has ended must not open again.
 */
export async function closeEndedRequest(
  { environment, actor, request }: Context,
  tx: Orm,
  { action, subject_id }: Pick<ApprovalRequestRow, "action" | "subject_id">,
): Promise<void> {
  const ended = await closeEndedOf(tx, { environment_id: environment.id, action, subject_id });
  await recordFailures(tx, ended, { actor, requestId: request.id });
}

/** Adds the activity entries of requests that failed without an approval. */
export async function recordFailures(
  tx: Orm,
  ended: readonly EndedRequest[],
  by: { actor: ActorRecord; requestId: string | null },
): Promise<void> {
  for (const { environment_id, id: object_id, action, status, requested_by_name: name } of ended) {
    if (status !== "FAILED") continue;
    const id = newId();
    const detail = { name, reason: IMPOSSIBLE[action] };
    const entry = {
      id,
      actor: by.actor,
      action: "approval_request.failed",
      object_id,
      request_id: by.requestId,
      detail,
    };
    await insertAudit(tx, environment_id, { ...entry, created_at: idTime(id) });
  }
}

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
    if (ended && status === "REJECTED") {
      const { notRequestedBy: _, requestedBy: __, ...decision } = change;
      await recordRequest(ctx, tx, "rejected", { before: row, after: { ...row, ...decision, status }, ...detail });
    } else if (ended) await recordAct(ctx, tx, `approval_request.${status.toLowerCase()}`, row.id, detail);
    return ended;
  });
  if (!isEnded) throw notOpen(await findRow(ctx, encodeId("approval", row.id)));
}

/** Throws unless the request is open, and this member may decide it. */
export async function requireDecider(ctx: Context, row: ApprovalRow, user: Member): Promise<void> {
  if (row.requested_by === user.userId) {
    throw new AppError("permission_denied", "This is your own request. Another member of the team has to decide it.");
  }
  if (!(await decidesOn(ctx, user)).includes(row.action)) {
    throw new AppError("permission_denied", "Your role can’t decide on this. Ask an owner or admin.");
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
  FAILED: ({ action, comment }) => comment ?? IMPOSSIBLE[action],
};

const IMPOSSIBLE: Record<ApprovalAction, string> = {
  REFUND: "The payment no longer allows this refund.",
  BANK_ACCOUNT: "The bank account was changed in the meantime, so it was left as it is.",
  LIVE_KEY: "The key was changed or ended in the meantime, or the requested expiry has passed, so nothing was done.",
  APPROVAL_RULE: "The rule was changed in the meantime, so it was left as it is.",
};

function presentRequest({ service, environment }: Context, row: ApprovalRow, viewer: Viewer): ApprovalRequest {
  const isOwn = row.requested_by === viewer.userId;
  // A role that doesn't see such requests doesn't manage keys either, and its members read only their own.
  const until = viewer.sees.includes(row.action) ? collectableUntil(row) : null;
  const collect_before = until !== null && until > service.clock.now() ? until.toISOString() : null;
  const decisions: ApprovalDecision[] = viewer.decides.includes(row.action) ? ["approve", "reject"] : [];
  const open = isOwn ? ["withdraw" as const] : decisions;
  return {
    ...presentObject(row, environment.mode),
    requested_by: { id: encodeId("user", row.requested_by), name: row.requested_by_name },
    decided_by:
      row.decided_by === null || row.decided_by_name === null
        ? null
        : { id: encodeId("user", row.decided_by), name: row.decided_by_name },
    collect_before,
    available_actions: row.status === "PENDING" ? open : isOwn && collect_before !== null ? ["collect"] : [],
  };
}

/** When an approved key that its requester has not collected is given up; null if there is nothing to collect. */
export function collectableUntil({ status, parameters, key_id, decided_at }: ApprovalRequestRow): Date | null {
  if (status !== "APPROVED" || key_id !== null || decided_at === null || !("act" in parameters)) return null;
  if (parameters.act !== "CREATE" && parameters.act !== "ROTATE") return null;
  return new Date(Date.parse(decided_at) + COLLECT_DAYS * DAY_MS);
}

const SUBJECT_IDS = {
  REFUND: "payment",
  BANK_ACCOUNT: "environment",
  LIVE_KEY: "apiKey",
  APPROVAL_RULE: "environment",
} as const satisfies Record<ApprovalAction, IdKind>;

function presentObject(row: ApprovalRow, mode: Mode): ApprovalRequestObject {
  return {
    id: encodeId("approval", row.id),
    object: "approval_request",
    action: row.action,
    subject: encodeId(SUBJECT_IDS[row.action], row.subject_id),
    parameters: presentParameters(row, mode),
    reason: row.reason,
    status: row.status,
    requested_by: { id: encodeId("user", row.requested_by) },
    decided_by: row.decided_by === null ? null : { id: encodeId("user", row.decided_by) },
    decided_at: row.decided_at,
    comment: row.comment ?? (row.status === "FAILED" ? IMPOSSIBLE[row.action] : null),
    result: encodeIdOrNull("transaction", row.refund_id) ?? encodeIdOrNull("apiKey", row.key_id),
    environment: API_ENVIRONMENTS[mode],
    expires_at: row.expires_at,
    created_at: row.created_at,
  };
}

function presentParameters(
  { parameters, amount, currency }: ApprovalRequestRow,
  mode: Mode,
): ApprovalRequestObject["parameters"] {
  if ("acknowledge_dispute" in parameters) {
    return { ...parameters, amount: amount as number, currency: currency as string };
  }
  if ("act" in parameters) {
    const { updated_at: _, ...key } = parameters;
    return { key };
  }
  if ("action" in parameters) return { rule: parameters };
  const before = parameters.before ?? (mode === "test" ? TEST_BANK_ACCOUNT : null);
  return { bank_account: { before, after: parameters.after } };
}
