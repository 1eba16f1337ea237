import type { Orm } from "@/db/client";
import { takeRecoveryCode } from "@/db/queries/recovery-codes";
import type { UserRow } from "@/db/schema/users";
import { recoveryCodeDigest } from "@/lib/auth/recovery-code";
import { totpStep } from "@/lib/auth/totp";
import type { Service } from "../context";

/** A code that fits, but is not used up yet: that takes a guarded UPDATE. */
export type GivenCode = { kind: "totp"; step: number } | { kind: "recovery"; digest: Buffer };

/** What kind of code it is; null when it is no code of this person's authenticator app and cannot be a recovery code. */
export function checkCode(service: Service, user: UserRow, text: string): GivenCode | null {
  const digits = text.replace(/[\s-]/g, "");
  if (/^\d{6}$/.test(digits)) {
    if (user.totp_secret === null) return null;
    const step = totpStep(service.secret.unseal(user.totp_secret), digits, service.clock.now());
    return step === null ? null : { kind: "totp", step };
  }
  const digest = recoveryCodeDigest(text);
  return digest === null ? null : { kind: "recovery", digest };
}

/** False when the person has no such code, or it was used. A transaction that then fails gives it back. */
export const useRecoveryCode = (tx: Orm, user: UserRow, code: { digest: Buffer }): Promise<boolean> =>
  takeRecoveryCode(tx, user.id, code.digest);
