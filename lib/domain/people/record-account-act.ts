import type { Orm } from "@/db/client";
import { insertAudit } from "@/db/queries/changes";
import { findEnvironmentId } from "@/db/queries/merchants";
import type { ActorRecord } from "@/db/schema/operations";
import { idTime, newId } from "@/lib/ids";
import type { Context } from "../context";

export type AccountAction =
  | "settings.account_opened"
  | "settings.account_closed"
  | "settings.business_updated"
  | "settings.checkout_appearance_updated"
  | "settings.account_updated"
  | "settings.email_verified"
  | "settings.password_changed"
  | "settings.password_reset"
  | "settings.second_factor_enabled"
  | "settings.second_factor_disabled"
  | "settings.recovery_codes_replaced"
  | "settings.recovery_code_used"
  | "settings.signed_in"
  | "settings.sign_in_failed"
  | "settings.identity_proved"
  | "settings.proof_failed"
  | "settings.idempotency_key_viewed"
  | "settings.transactions_exported"
  | "settings.sign_in_locked"
  | "settings.sessions_ended"
  | "team.member_invited"
  | "team.invitation_resent"
  | "team.invitation_accepted"
  | "team.role_changed"
  | "team.member_removed";

/** Whose account, and who does it. */
export type AccountActor = { merchantId: string; actor: ActorRecord; requestId: string | null };

export const accountActor = (ctx: Context): AccountActor => ({
  merchantId: ctx.environment.merchantId,
  actor: ctx.actor,
  requestId: ctx.request.id,
});

/**
 * Writes down what was done with the account or its people, inside the transaction that did it. One row, in the live
 * environment: the account is one for both, and a history told twice is no history.
 */
export async function recordAccountAct(
  tx: Orm,
  by: AccountActor,
  action: AccountAction,
  objectId: string,
  detail: Record<string, unknown> | null = null,
): Promise<void> {
  const environmentId = await findEnvironmentId(tx, by.merchantId, "live");
  if (environmentId === null) throw new Error("a merchant has a live environment");
  const id = newId();
  await insertAudit(tx, environmentId, {
    id,
    actor: by.actor,
    action,
    object_id: objectId,
    request_id: by.requestId,
    detail,
    created_at: idTime(id),
  });
}
