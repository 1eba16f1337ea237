import type { Orm } from "@/db/client";
import { findApiKey, isRotated } from "@/db/queries/api-keys";
import { type ApprovalRow, approveAct, claimKey, findRule, lockSettings } from "@/db/queries/approvals";
import { findPayment } from "@/db/queries/payments/payments";
import { findBankAccount } from "@/db/queries/settlement/payouts";
import type { ApprovalParameters, KeyChange } from "@/db/schema/approvals";
import type { ApiKey } from "@/lib/contract/api-keys/api-keys";
import type { ApprovalRequest, RequestedAct } from "@/lib/contract/approvals/approvals";
import { APPROVAL_PERMISSIONS, COLLECT_DAYS } from "@/lib/contract/approvals/words";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { Permission, UserPermission } from "@/lib/contract/permissions";
import { newId } from "@/lib/ids";
import { enableApiKey, lockKey } from "../api-keys/change-keys";
import { applyKeySettings, checkSettings, createApiKey, normalizeSettings, rotateApiKey } from "../api-keys/issue-keys";
import { availableActions, presentApiKey, requireKeyGrant, statusAt } from "../api-keys/read-keys";
import { type Context, environmentNow, resourceNotFound } from "../context";
import { followUpRefusal } from "../payments/follow-up";
import { applyBankAccount, destinationOf } from "../settlement/payouts";
import { addRequest, collectableUntil, findRow, type Member, nameOf, recordRequest, rolesOf } from "./requests";
import { applyRule, NO_RULE, presentRule } from "./rules";

type Requester = Member & { permissions: ReadonlySet<UserPermission> };

/** Requests an act that is possible now, of a member who may act, though not alone. */
export async function requestAct(ctx: Context, act: RequestedAct, user: Requester): Promise<ApprovalRequest> {
  if (!user.permissions.has(APPROVAL_PERMISSIONS[act.action])) {
    throw new AppError("permission_denied", "Your role can’t do this, not even with approval.");
  }
  switch (act.action) {
    case "REFUND":
      return requestRefund(ctx, act, user);
    case "BANK_ACCOUNT":
      return requestBankAccount(ctx, act, user);
    case "LIVE_KEY":
      return requestKey(ctx, act, user);
    case "APPROVAL_RULE":
      return requestRule(ctx, act, user);
    default:
      return act satisfies never;
  }
}

type Requested<A extends RequestedAct["action"]> = Omit<Extract<RequestedAct, { action: A }>, "action">;

/** Requests a refund that the payment allows now. */
export async function requestRefund(
  ctx: Context,
  { subject, parameters, reason }: Requested<"REFUND">,
  user: Member,
): Promise<ApprovalRequest> {
  const { environment, service } = ctx;
  const paymentId = decodeId("payment", subject);
  const snapshot = paymentId && (await findPayment(service.db.within(environment.id).sql, environment.id, paymentId));
  if (!paymentId || !snapshot) throw resourceNotFound("payment", subject);
  const { amount, acknowledge_dispute = false } = parameters;
  const order = { kind: "refund" as const, amount, acknowledgesDispute: acknowledge_dispute };
  const times = { now: environmentNow(ctx), partialCapture: true };
  const refused = followUpRefusal(order, "payment", null, snapshot, times);
  if (refused) throw refused;
  return addRequest(ctx, user, {
    action: "REFUND",
    subject_id: paymentId,
    amount,
    currency: snapshot.payment.currency,
    parameters: { reason: parameters.reason ?? null, comment: parameters.comment ?? null, acknowledge_dispute },
    reason,
  });
}

const NO_AMOUNT = { amount: null, currency: null };

async function requestBankAccount(
  ctx: Context,
  { parameters, reason }: Requested<"BANK_ACCOUNT">,
  user: Member,
): Promise<ApprovalRequest> {
  const { id } = ctx.environment;
  const row = await findBankAccount(ctx.service.db.within(id).sql, id);
  const before = row && { holder: row.holder, bank_name: row.bank_name, country: row.country, last4: row.last4 };
  const change = { before, after: destinationOf(parameters) };
  return addRequest(ctx, user, { action: "BANK_ACCOUNT", subject_id: id, ...NO_AMOUNT, parameters: change, reason });
}

async function requestRule(
  ctx: Context,
  { parameters, reason }: Requested<"APPROVAL_RULE">,
  user: Member,
): Promise<ApprovalRequest> {
  const { id } = ctx.environment;
  const { action, ...rule } = parameters;
  const found = await findRule(ctx.service.db.within(id).orm, id, action);
  if (found === null) throw new AppError("invalid_state", "There is no such rule, so you can change it alone.");
  const after = { ...NO_RULE, ...rule };
  const change = { action, before: presentRule(found), after };
  return addRequest(ctx, user, { action: "APPROVAL_RULE", subject_id: id, ...NO_AMOUNT, parameters: change, reason });
}

async function requestKey(
  ctx: Context,
  { parameters, reason }: Requested<"LIVE_KEY">,
  user: Requester,
): Promise<ApprovalRequest> {
  if (ctx.environment.mode === "test") {
    throw new AppError("invalid_state", "Test keys need no approval. Create or change the key directly.");
  }
  const { subjectId, ...change } = await keyChange(ctx, parameters);
  requireKeyGrant(ctx, user, [...(change.before?.permissions ?? []), ...change.after.permissions]);
  return addRequest(ctx, user, { action: "LIVE_KEY", subject_id: subjectId, ...NO_AMOUNT, parameters: change, reason });
}

/** The requested settings beside those of the key now. A new key gets its id here, and its secret when collected. */
async function keyChange(
  ctx: Context,
  parameters: Requested<"LIVE_KEY">["parameters"],
): Promise<KeyChange & { subjectId: string }> {
  const now = ctx.service.clock.now();
  if (parameters.act === "CREATE") {
    const after = settingsOf(parameters, null, now);
    return { subjectId: newId(), act: "CREATE", before: null, after, overlap_hours: null, updated_at: null };
  }
  const { id: environmentId } = ctx.environment;
  const { orm } = ctx.service.db.within(environmentId);
  const id = decodeId("apiKey", parameters.subject);
  const row = id && (await findApiKey(orm, environmentId, id));
  if (!row) throw resourceNotFound("API key", parameters.subject);
  const status = statusAt(row, now);
  const allowed_actions = availableActions(status, await isRotated(orm, environmentId, row.id));
  const needed = { CHANGE: "edit", ROTATE: "rotate", ENABLE: "enable" } as const;
  if (!allowed_actions.includes(needed[parameters.act])) {
    const extra = { current_status: status, allowed_actions };
    throw new AppError("invalid_state", "The key no longer allows this. Reload the page to see what it is now.", {
      extra,
    });
  }
  const { name, expires_at, ip_allow_list, limits } = row;
  const before = { name, permissions: row.permissions as Permission[], expires_at, ip_allow_list, limits };
  return {
    subjectId: row.id,
    act: parameters.act,
    before,
    after: parameters.act === "CHANGE" ? settingsOf(parameters, limits, now) : before,
    overlap_hours: parameters.act === "ROTATE" ? parameters.overlap_hours : null,
    updated_at: row.updated_at,
  };
}

function settingsOf(
  input: Parameters<typeof normalizeSettings>[0],
  limits: KeyChange["after"]["limits"],
  now: Date,
): KeyChange["after"] {
  const wanted = normalizeSettings(input);
  checkSettings(wanted, now);
  return {
    name: wanted.name,
    permissions: wanted.permissions,
    expires_at: wanted.expiresAt,
    ip_allow_list: wanted.ipAllowList,
    limits: wanted.limits === undefined ? limits : wanted.limits,
  };
}

/**
 * Approves a request and carries it out in one transaction, so that a crash leaves both or neither. False if it
 * has ended, or its subject has changed since.
 */
export function approveAndAct(ctx: Context, row: ApprovalRow, user: Member): Promise<boolean> {
  const { environment, service } = ctx;
  return service.db.within(environment.id).orm.transaction(async (tx) => {
    const { parameters, requested_by_name: requester } = row;
    const subject = await lockSubject(ctx, tx, row);
    const at = service.clock.now().toISOString();
    const approval = { id: row.id, by: user.userId, at, roles: rolesOf(row) };
    if (!(await approveAct(tx, environment.id, approval))) return false;
    const decided = { decided_by: user.userId, decided_by_name: nameOf(user), decided_at: at };
    const after = { ...row, ...decided, status: "APPROVED" as const };
    await recordRequest(ctx, tx, "approved", { before: row, after, name: requester });
    await carryOut(ctx, tx, { parameters, requester, subject });
    return true;
  });
}

/** Locks what the request changes, so that it is judged and changed as one. Returns its key. */
async function lockSubject(ctx: Context, tx: Orm, { action, parameters, subject_id }: ApprovalRow) {
  if (action !== "LIVE_KEY") {
    await lockSettings(tx, ctx.environment.id);
    return null;
  }
  if ("act" in parameters && parameters.act === "CREATE") return null;
  return lockKey(tx, { environmentId: ctx.environment.id, id: encodeId("apiKey", subject_id) });
}

async function carryOut(
  ctx: Context,
  tx: Orm,
  {
    parameters,
    requester,
    subject,
  }: { parameters: ApprovalParameters; requester: string; subject: Awaited<ReturnType<typeof lockSubject>> },
): Promise<void> {
  const { environment, service, actor, request } = ctx;
  if ("action" in parameters) return applyRule(ctx, tx, parameters, requester);
  if ("act" in parameters) {
    if (subject === null) return;
    const by = { environmentId: environment.id, actor, requestId: request.id };
    if (parameters.act === "CHANGE") {
      const now = service.clock.now();
      await applyKeySettings(tx, { row: subject, settings: parameters.after, now }, by, { name: requester });
    } else if (parameters.act === "ENABLE") {
      await enableApiKey({ db: { orm: tx }, clock: service.clock }, { ...by, id: encodeId("apiKey", subject.id) });
    }
    // A key with a new secret is made when its requester collects it, so that no secret waits in the database.
    return;
  }
  if ("after" in parameters) await applyBankAccount(ctx, tx, parameters.after, { name: requester });
}

/** Creates an approved key and returns its secret, once, to the member who requested it. */
export async function collectKey(
  ctx: Context,
  { id, user }: { id: string; user: Requester },
): Promise<{ api_key: ApiKey; secret: string }> {
  const { environment, service, actor, request } = ctx;
  const row = await findRow(ctx, id);
  const { parameters } = row;
  if (row.requested_by !== user.userId) {
    throw new AppError("permission_denied", `Only ${row.requested_by_name} can collect this key.`);
  }
  if (!("act" in parameters)) throw new AppError("invalid_state", "There is no key to collect.");
  requireKeyGrant(ctx, user, parameters.after.permissions);
  const now = service.clock.now();
  const until = collectableUntil(row);
  if (until === null || until <= now) throw notCollectable(row);
  const by = { environmentId: environment.id, actor, requestId: request.id };
  const made = await service.db.within(environment.id).orm.transaction(async (tx) => {
    const keys = { db: { orm: tx }, clock: service.clock };
    const { act, after, overlap_hours } = parameters;
    const keyId = act === "CREATE" ? row.subject_id : newId();
    const claim = { id: row.id, by: user.userId, keyId, days: COLLECT_DAYS };
    if (!(await claimKey(tx, environment.id, claim))) return null;
    if (act === "ROTATE") {
      return rotateApproved(tx, keys, row, { ...by, newKeyId: keyId, overlapHours: overlap_hours ?? 0 });
    }
    return createApiKey(keys, {
      ...by,
      id: keyId,
      name: after.name,
      permissions: after.permissions,
      expiresAt: after.expires_at,
      ipAllowList: after.ip_allow_list,
      limits: after.limits,
    });
  });
  if (made === null) throw notCollectable(await findRow(ctx, id));
  return { api_key: presentApiKey(made.row, now, null), secret: made.secret };
}

/** A key that changed after the approval is not the one that was approved. */
async function rotateApproved(
  tx: Orm,
  keys: Parameters<typeof rotateApiKey>[0],
  { parameters, subject_id }: ApprovalRow,
  by: Omit<Parameters<typeof rotateApiKey>[1], "id">,
) {
  const input = { ...by, id: encodeId("apiKey", subject_id) };
  const key = await lockKey(tx, input);
  if ("act" in parameters && key.updated_at !== parameters.updated_at) {
    throw new AppError("invalid_state", "The key was changed after this was requested. Request its rotation again.");
  }
  return rotateApiKey(keys, input);
}

const notCollectable = ({ status, key_id }: ApprovalRow) =>
  new AppError(
    "invalid_state",
    status !== "APPROVED"
      ? "This request is not approved, so there is no key to collect."
      : key_id !== null
        ? "The secret was shown already, and can’t be shown again. If it is lost, rotate the key or revoke it."
        : `An approved key is kept for ${COLLECT_DAYS} days. Request it again.`,
  );
