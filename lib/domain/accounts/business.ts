import { randomBytes } from "node:crypto";
import type { Orm } from "@/db/client";
import {
  type BusinessProfile,
  findEnvironmentId,
  findMerchant,
  insertMerchant,
  isTimeZoneKnown,
  lockMerchant,
  type MerchantRow,
  updateBusinessProfile,
} from "@/db/queries/accounts/merchants";
import { rebuildTotals } from "@/db/queries/reporting/daily-totals";
import { hashPassword } from "@/lib/auth/password";
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "@/lib/contract/accounts/fields";
import { isMailable, mailableAddress } from "@/lib/contract/emails";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { MODES, type Mode } from "@/lib/contract/transactions/words";
import { newId } from "@/lib/ids";
import { createApiKey } from "../api-keys/issue-keys";
import type { KeyService } from "../api-keys/read-keys";
import type { Context } from "../context";
import { onlyChanged } from "./account";
import { accountActor, recordAccountAct } from "./activity";
import { refuseEasyPassword, refuseField } from "./reauthentication";

type CreateMerchantInput = {
  name: string;
  /** The owner's address, for signing in. */
  email: string;
  ownerName?: string;
  /** Random by default. */
  password?: string | undefined;
};

/** The merchant's credentials, shown only once: the password and the keys are stored as digests. */
export type NewMerchant = {
  merchant_id: string;
  email: string;
  password: string;
  test_key: string;
  live_key: string;
};

/**
 * Creates a merchant with both environments, its owner, and one key with every permission per environment.
 */
export async function createMerchant(service: KeyService, input: CreateMerchantInput): Promise<NewMerchant> {
  const name = input.name.trim();
  const email = mailableAddress(input.email.trim()) ?? input.email;
  const password = input.password ?? randomBytes(12).toString("base64url");
  validateMerchant(name, email, password);
  if (input.password !== undefined) await refuseEasyPassword("password", password, [email, name]);
  const password_hash = await hashPassword(password);
  const id = newId();
  const environments = { test: newId(), live: newId() };
  const keys = await service.db.orm.transaction(async (tx) => {
    const owner = {
      id: newId(),
      ...(input.ownerName !== undefined && { name: input.ownerName }),
      email,
      password_hash,
      verified: true,
    };
    if (!(await insertMerchant(tx, { id, name, environments, owner }))) throw emailTaken(email);
    return createKeys(service, tx, environments);
  });
  return { merchant_id: encodeId("merchant", id), email, password, test_key: keys.test, live_key: keys.live };
}

async function createKeys(
  service: KeyService,
  tx: Orm,
  environments: Record<Mode, string>,
): Promise<Record<Mode, string>> {
  const secrets = { test: "", live: "" };
  for (const mode of MODES) {
    const { secret } = await createApiKey(
      { db: { orm: tx }, clock: service.clock },
      { environmentId: environments[mode], name: "Default", permissions: PERMISSIONS },
    );
    secrets[mode] = secret;
  }
  return secrets;
}

function validateMerchant(name: string, email: string, password: string): void {
  const refuse = (param: string, sentence: string) => new AppError("invalid_parameter", sentence, { param });
  if (name === "" || name.length > 100) throw refuse("name", "Give the merchant a name of 1 to 100 characters.");
  if (!isMailable(email)) throw refuse("email", `'${email}' is not an e-mail address.`);
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_PASSWORD_LENGTH) {
    throw refuse("password", `Choose a password of ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`);
  }
}

export const emailTaken = (email: string) =>
  new AppError("invalid_parameter", `The e-mail address '${email}' is already in use: choose another.`, {
    param: "email",
  });

/** UUID of a merchant's environment, from the merchant's public id. */
export async function getEnvironmentId(
  service: KeyService,
  input: { merchantId: string; mode: Mode },
): Promise<string> {
  const id = decodeId("merchant", input.merchantId);
  const environmentId = id === null ? null : await findEnvironmentId(service.db.orm, id, input.mode);
  if (environmentId === null) {
    throw new AppError(
      "resource_not_found",
      `There is no merchant '${input.merchantId}'. Its id is under Settings → Business profile.`,
      {
        param: "merchant",
      },
    );
  }
  return environmentId;
}

/** The merchant of the context's environment. */
export async function getBusiness(ctx: Context): Promise<MerchantRow> {
  const row = await findMerchant(ctx.service.db.orm, ctx.environment.merchantId);
  if (row === null) throw new Error("an environment has a merchant");
  return row;
}

/** Changes the given members; `undefined` leaves a member as it is. */
type UpdateBusinessInput = { [Name in keyof BusinessProfile]?: BusinessProfile[Name] | undefined };

/**
 * Changes the business profile. A new time zone shifts every day's bounds, so the daily totals are rebuilt.
 */
export async function updateBusiness(ctx: Context, input: UpdateBusinessInput): Promise<void> {
  const { merchantId } = ctx.environment;
  const given = Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  ) as Partial<BusinessProfile>;
  await ctx.service.db.orm.transaction(async (tx) => {
    const before = await lockMerchant(tx, merchantId);
    if (before === null) throw new Error("an environment has a merchant");
    const changes = onlyChanged(
      Object.fromEntries(
        Object.entries(given).map(([name, value]) => [name, [before[name as keyof BusinessProfile], value]]),
      ),
    );
    if (Object.keys(changes).length === 0) return;
    await updateBusinessProfile(tx, merchantId, given);
    if (given.time_zone !== undefined && given.time_zone !== before.time_zone) {
      await changeTimeZone(tx, merchantId, given.time_zone);
    }
    await recordAccountAct(tx, accountActor(ctx), "settings.business_updated", merchantId, { changes });
  });
}

async function changeTimeZone(tx: Orm, merchantId: string, timeZone: string): Promise<void> {
  if (!(await isTimeZoneKnown(tx, timeZone))) {
    throw refuseField("time_zone", "We don't know this time zone. Choose a city near you.");
  }
  for (const mode of MODES) {
    const environmentId = await findEnvironmentId(tx, merchantId, mode);
    if (environmentId !== null) await rebuildTotals(tx, environmentId, timeZone);
  }
}
