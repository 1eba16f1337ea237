import type { Orm } from "@/db/client";
import { countNeedingOtherSecrets, listSealedOtherwise, replaceSealed } from "@/db/queries/service/secret-rotation";
import {
  adoptSecret,
  findCurrentSecret,
  isRotationOld,
  listSecretKeys,
  retireSecret,
  switchSecret,
} from "@/db/queries/service/settings";
import { ConfigurationError } from "@/lib/env";
import type { Secret } from "@/lib/secret";
import type { Service } from "./context";

const BATCH_SIZE = 200;

const toSecretKey = (secret: Secret, id: string) => ({ id, verifier: secret.verifier(id) });

/**
 * Makes this process write under the database's current secret. Throws ConfigurationError if the process
 * lacks a secret that data in the database may be sealed under, or has a different one with the same id.
 */
export async function agreeOnSecret(orm: Orm, secret: Secret): Promise<void> {
  if ((await findCurrentSecret(orm)) === null) await adoptSecret(orm, toSecretKey(secret, secret.keyId));
  const current = await findCurrentSecret(orm);
  for (const [id, verifier] of await listSecretKeys(orm)) {
    if (secret.keyIds.includes(id) && secret.verifier(id) === verifier) continue;
    throw id === current ? wrongSecret() : previousMissing();
  }
  if (current === null || !secret.keyIds.includes(current)) throw wrongSecret();
  secret.use(current);
}

const wrongSecret = () =>
  new ConfigurationError(
    "CARDLANE_SECRET is not the secret of this database: set it to the one that the database was used with before. To change it, add that one as CARDLANE_SECRET_PREVIOUS and run npm run rotate-secret.",
  );

const previousMissing = () =>
  new ConfigurationError(
    "This database still needs its previous secret: set CARDLANE_SECRET_PREVIOUS to it, until npm run rotate-secret says that it is no longer needed.",
  );

const missingElsewhere = (baseUrl: string) =>
  new ConfigurationError(
    `A process at ${baseUrl} does not have the new secret yet: restart every process with CARDLANE_SECRET set to the new secret and CARDLANE_SECRET_PREVIOUS to the current one (with a secret file, just restart it), then run this again. A killed process counts for another minute.`,
  );

/** Switches to a rotated secret while the service runs. False if this process does not have the new one. */
export async function followSecret({ db, secret }: Pick<Service, "db" | "secret">): Promise<boolean> {
  const current = await findCurrentSecret(db.orm);
  if (current === null || current === secret.keyId) return true;
  if (!secret.keyIds.includes(current)) return false;
  secret.use(current);
  return true;
}

export type Rotation = {
  /** Number of values sealed again under the new secret. */
  resealed: number;
  /** Number of values that still need an earlier secret; they expire within 25 hours. */
  waiting: number;
  /** True when earlier secrets are no longer needed. */
  finished: boolean;
};

/**
 * Rotates the database to the first of the given secrets. Safe to interrupt and run again: sealed texts stay
 * readable under their own secret, and an idempotency key is compared under its original one. Throws
 * ConfigurationError, and changes nothing, while a process without the new secret uses this database.
 */
export async function rotateSecret(orm: Orm, secret: Secret): Promise<Rotation> {
  const [id] = secret.keyIds;
  if (id === undefined) throw new Error("there is always a secret");
  if ((await findCurrentSecret(orm)) !== id) {
    const otherUrl = await switchSecret(orm, toSecretKey(secret, id));
    if (otherUrl !== null) throw missingElsewhere(otherUrl);
  }
  secret.use(id);
  const resealed = await resealAll(orm, secret);
  const waiting = await countNeedingOtherSecrets(orm, id);
  const finished = waiting === 0 && (await isRotationOld(orm));
  if (finished) {
    for (const other of (await listSecretKeys(orm)).keys()) if (other !== id) await retireSecret(orm, other);
  }
  return { resealed, waiting, finished };
}

async function resealAll(orm: Orm, secret: Secret): Promise<number> {
  const prefix = `s1.${secret.keyId}.`;
  for (let resealed = 0; ; ) {
    const found = await listSealedOtherwise(orm, prefix, BATCH_SIZE);
    if (found.length === 0) return resealed;
    for (const one of found) await replaceSealed(orm, one, secret.seal(secret.unseal(one.sealed)));
    resealed += found.length;
  }
}
