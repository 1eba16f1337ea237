import type { Orm } from "@/db/client";
import { insertSession } from "@/db/queries/session-list";
import { keepableText } from "@/lib/contract/card-numbers";
import type { UserRole } from "@/lib/contract/roles";
import { newId } from "@/lib/ids";

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
    address: input.address,
    userAgent: input.userAgent === null ? null : keepableText(input.userAgent, 400),
    mfa: input.mfa,
    livesHours: input.user.role === "staff" ? SESSION_HOURS.staff : SESSION_HOURS.merchant,
  });
  return id;
}
