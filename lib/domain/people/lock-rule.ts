import type { Orm } from "@/db/client";
import { confirmLock, type LockRule, type Tries } from "@/db/queries/users";
import type { UserRow } from "@/db/schema/users";
import type { Service } from "../context";
import { recordAccountAct } from "./record-account-act";
import { notify } from "./write-mail";

/** How many failures lock the sign-in of an account, or its proofs, and for how long. */
export const LOCK_RULE: LockRule = { failures: 10, minutes: 30 };

/**
 * After a try that was counted and turned out wrong. The one that reached the limit starts the lock and tells the person;
 * answers until when, or null when there is no lock.
 */
export function lockAfterFailure(service: Service, user: UserRow, tries: Tries): Promise<string | null> {
  const failures = tries === "sign_in" ? user.failed_sign_ins : user.failed_proofs;
  if (failures < LOCK_RULE.failures) return Promise.resolve(null);
  return service.db.orm.transaction(async (tx) => {
    const locked = await confirmLock(tx, user.id, LOCK_RULE, tries);
    if (locked === null) return null;
    if (tries === "proof") {
      await mailProofsLocked(tx, locked);
      return locked.proofs_locked_until;
    }
    await mailLocked(tx, service, locked);
    if (locked.merchant_id !== null) {
      const by = { merchantId: locked.merchant_id, actor: { type: "system", id: null }, requestId: null } as const;
      await recordAccountAct(tx, by, "settings.sign_in_locked", locked.id, { email: locked.email });
    }
    return locked.locked_until;
  });
}

function mailLocked(tx: Orm, service: Service, user: UserRow): Promise<void> {
  return notify(tx, user, {
    subject: `Your Cardlane account is locked for ${LOCK_RULE.minutes} minutes`,
    paragraphs: [
      `Somebody entered a wrong password or code for ${user.email} ${LOCK_RULE.failures} times, so we have locked sign-in for ${LOCK_RULE.minutes} minutes. People who are already signed in stay signed in.`,
      // Staff have no page for a forgotten password: their accounts are made by a command.
      ...(user.merchant_id === null
        ? [
            "If it was not you, tell your colleagues in security. If you cannot wait, whoever runs the service can unlock your account.",
          ]
        : ["If it was you and you cannot wait, choose a new password:", `${service.baseUrl}/forgot-password`]),
    ],
  });
}

function mailProofsLocked(tx: Orm, user: UserRow): Promise<void> {
  return notify(tx, user, {
    subject: "Somebody signed in to Cardlane as you entered wrong passwords",
    paragraphs: [
      `Somebody who is signed in as ${user.email} was asked for the password or a code, and entered wrong ones ${LOCK_RULE.failures} times. Nothing was changed, and we ask again after ${LOCK_RULE.minutes} minutes.`,
      "If it was not you, sign out the sessions that you do not know, and choose a new password.",
    ],
  });
}
