import { randomBytes } from "node:crypto";
import type { Database } from "@/db/client";
import { replaceRecoveryCodes } from "@/db/queries/accounts/users";
import { insertStaff, listStaff, unlockStaff as unlock } from "@/db/queries/support/staff";
import { newRecoveryCode, newTotpSecret, recoveryCodeDigest, totpUri } from "@/lib/auth/one-time-codes";
import { hashPassword } from "@/lib/auth/password";
import type { Clock } from "@/lib/clock";
import { isMailable, mailableAddress } from "@/lib/contract/emails";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import type { Secret } from "@/lib/secret";
import { emailTaken } from "../accounts/business";
import type { Context, Environment, Service } from "../context";

type CreateStaffInput = { email: string; name?: string | undefined };

/** A new staff member's credentials, shown once. */
export type NewStaff = {
  staff_id: string;
  email: string;
  password: string;
  /** Base32, for an authenticator app. */
  totp_secret: string;
  totp_uri: string;
  recovery_codes: string[];
};

type StaffService = {
  readonly db: Pick<Database, "orm">;
  readonly clock: Clock;
  readonly secret: Pick<Secret, "seal">;
};

const RECOVERY_CODES = 10;

/**
 * Creates a member of the support staff. The second factor is on from the start, as it is mandatory for
 * staff.
 */
export async function createStaff(service: StaffService, input: CreateStaffInput): Promise<NewStaff> {
  const email = mailableAddress(input.email.trim()) ?? input.email;
  const name = input.name?.trim() || null;
  check(email, name);
  const password = randomBytes(18).toString("base64url");
  const password_hash = await hashPassword(password);
  const totp = newTotpSecret();
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const id = newId();
  await service.db.orm.transaction(async (tx) => {
    const row = {
      id,
      email,
      name,
      password_hash,
      totp_secret: service.secret.seal(totp),
      totp_enabled_at: service.clock.now().toISOString(),
    };
    if (!(await insertStaff(tx, row))) throw emailTaken(email);
    await replaceRecoveryCodes(tx, id, codes.map(digestOf));
  });
  return {
    staff_id: encodeId("user", id),
    email,
    password,
    totp_secret: totp,
    totp_uri: totpUri(totp, email),
    recovery_codes: codes,
  };
}

function digestOf(code: string): Buffer {
  const digest = recoveryCodeDigest(code);
  if (digest === null) throw new Error("a recovery code of our own cannot be read");
  return digest;
}

function check(email: string, name: string | null): void {
  if (!isMailable(email)) {
    throw new AppError("invalid_parameter", `'${email}' is not an e-mail address.`, { param: "email" });
  }
  if (name !== null && name.length > 100) {
    throw new AppError("invalid_parameter", "Give a name of at most 100 characters.", { param: "name" });
  }
}

/**
 * Unlocks a staff member after too many failed sign-ins. For operators only, as staff can't reset their
 * password by link. Changes neither password nor second factor.
 */
export async function unlockStaff(
  service: { readonly db: Pick<Database, "orm"> },
  input: { email: string },
): Promise<{ staff_id: string; email: string }> {
  const email = input.email.trim();
  const staff = await unlock(service.db.orm, email);
  if (staff === null) throw new AppError("resource_not_found", `No member of staff has the address '${email}'.`);
  return { staff_id: encodeId("user", staff.id), email: staff.email };
}

const SHOWN = 200;

/** All staff members, for selection. */
export async function listStaffMembers({ service }: StaffCall): Promise<{ id: string; email: string }[]> {
  const rows = await listStaff(service.db.orm, SHOWN);
  return rows.map(({ id, email }) => ({ id: encodeId("user", id), email }));
}

/** A call by support staff, outside any environment. Ids are UUIDs. */
export type StaffCall = {
  readonly service: Service;
  readonly staff: { readonly userId: string };
  readonly request: { readonly id: string; readonly path: string };
};

/** The call as one in a merchant's environment, for read-only verbs. */
export function inEnvironment(call: StaffCall, environment: Environment): Context {
  return {
    service: call.service,
    environment,
    actor: { type: "staff", id: call.staff.userId },
    request: { ...call.request, endpoint: "support" },
    idempotency: null,
    reauthorize: async () => {},
  };
}
