import type { Orm } from "@/db/client";
import { replaceRecoveryCodes } from "@/db/queries/recovery-codes";
import { newRecoveryCode, recoveryCodeDigest } from "@/lib/auth/recovery-code";

const COUNT = 10;

/** Ten new codes in place of all others; only their digests are kept. */
export async function newRecoveryCodes(tx: Orm, userId: string): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, newRecoveryCode);
  await replaceRecoveryCodes(
    tx,
    userId,
    codes.map((code) => recoveryCodeDigest(code) as Buffer),
  );
  return codes;
}
