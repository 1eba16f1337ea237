import { hash, verify } from "@node-rs/argon2";

/** argon2id with OWASP's first choice of costs: about 20 ms and 19 MiB for each try. */
const ARGON2ID = 2;
const COSTS = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash of nobody's password, so that an unknown e-mail address costs as long as a wrong password. */
let decoy: Promise<string> | null = null;

export function hashPassword(password: string): Promise<string> {
  return hash(password, COSTS);
}

/** Whether the password belongs to the hash; `null` (there is no such user) takes as long and is always false. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  if (passwordHash !== null) return verify(passwordHash, password);
  decoy ??= hashPassword("nobody's password");
  await verify(await decoy, password);
  return false;
}
