import type { Orm } from "@/db/client";
import { insertSession } from "@/db/queries/session-list";
import { insertSupportAct } from "@/db/queries/support-audit-log";
import { keepableAddress, keepableText } from "@/lib/contract/card-numbers";
import type { UserRole } from "@/lib/contract/permissions";
import { newId } from "@/lib/ids";
import { recordAccountAct } from "./record-account-act";

/** How long a sign-in lasts. Staff see every merchant, so theirs ends with the working day. */
export const SESSION_HOURS = { merchant: 14 * 24, staff: 12 } as const;

export type OpenSessionInput = {
  user: { id: string; role: UserRole };
  /** Whether the second factor was given. */
  mfa: boolean;
  address: string;
  userAgent: string | null;
};

/** Signs a person in, in the transaction that accepted them: what ends all sessions then finds it. Returns the new session's id (UUID), which goes into the cookie. */
export async function openSession(orm: Orm, input: OpenSessionInput): Promise<string> {
  const id = newId();
  await insertSession(orm, {
    id,
    userId: input.user.id,
    address: keepableAddress(input.address),
    userAgent: input.userAgent === null ? null : keepableText(input.userAgent, 400),
    mfa: input.mfa,
    livesHours: input.user.role === "staff" ? SESSION_HOURS.staff : SESSION_HOURS.merchant,
  });
  return id;
}

/** A sign-in or a proof, or one that failed for a known account. */
type SignInAct = "signed_in" | "sign_in_failed" | "identity_proved" | "proof_failed";

/** Writes it into the log of the person's merchant, or of the support staff. */
export async function recordSignIn(
  tx: Orm,
  user: { id: string; merchant_id: string | null },
  what: SignInAct,
  detail: Record<string, unknown>,
): Promise<void> {
  if (user.merchant_id === null) {
    const act = { id: newId(), staff_id: user.id, action: `support.${what}`, detail };
    return insertSupportAct(tx, { ...act, merchant_id: null, object_id: null, request_id: null });
  }
  const by = { merchantId: user.merchant_id, actor: { type: "user", id: user.id }, requestId: null } as const;
  await recordAccountAct(tx, by, `settings.${what}`, user.id, detail);
}
