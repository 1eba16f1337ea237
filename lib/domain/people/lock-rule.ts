import type { Orm } from "@/db/client";
import type { LockRule } from "@/db/queries/users";
import type { UserRow } from "@/db/schema/users";
import type { Service } from "../context";
import { writeMail } from "./write-mail";

/** How many failures lock an account, and for how long. */
export const LOCK_RULE: LockRule = { failures: 10, minutes: 30 };

export function mailLocked(tx: Orm, service: Service, user: UserRow): Promise<void> {
  const forgot = `${service.baseUrl}/forgot-password`;
  return writeMail(tx, {
    recipient: user.email,
    subject: "Your Cardlane account is locked for 30 minutes",
    paragraphs: [
      `Somebody entered a wrong password or code for ${user.email} ${LOCK_RULE.failures} times, so we have locked sign-in for ${LOCK_RULE.minutes} minutes. People who are already signed in stay signed in.`,
      // Staff have no forgotten-password page: their accounts are made and reset by a command.
      ...(user.merchant_id === null
        ? ["If it was not you, tell your colleagues in security."]
        : ["If it was you and you cannot wait, choose a new password:", forgot]),
    ],
  });
}
