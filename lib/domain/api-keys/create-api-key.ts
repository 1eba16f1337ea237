import { type ApiKeyRow, findEnvironmentMode, insertApiKey } from "@/db/queries/api-keys";
import { NOT_AN_ADDRESS } from "@/lib/contract/api-keys/api-keys";
import { AppError, type FieldError } from "@/lib/contract/errors";
import { PERMISSIONS, type Permission } from "@/lib/contract/permissions";
import { idTime, newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { resourceNotFound } from "../resource-not-found";
import { isAllowListEntry } from "./allow-list";
import { keyPrefix, newKeySecret } from "./key-format";
import { type KeyService, type ManagedBy, recordKeyAction } from "./key-service";

export type CreateApiKeyInput = ManagedBy & {
  /** UUID. */
  environmentId: string;
  name: string;
  permissions: readonly Permission[];
  /** ISO 8601, in the future; null = never. */
  expiresAt?: string | null;
  /** Addresses and CIDR blocks; empty = from anywhere. */
  ipAllowList?: readonly string[];
  /** UUID of the key it replaces. */
  rotatedFrom?: string | null;
};

/** The row, and the secret that is shown now and never again. */
export type NewApiKey = { row: ApiKeyRow; secret: string };

export async function createApiKey(service: KeyService, input: CreateApiKeyInput): Promise<NewApiKey> {
  checkNewKey(input, service.clock.now());
  return service.db.orm.transaction(async (tx) => {
    const mode = await findEnvironmentMode(tx, input.environmentId);
    if (mode === null) throw resourceNotFound("environment", input.environmentId);
    const secret = newKeySecret(mode);
    const id = newId();
    const created_at = idTime(id);
    const row = await insertApiKey(tx, input.environmentId, {
      id,
      name: input.name,
      prefix: keyPrefix(mode),
      last4: secret.slice(-4),
      secret_sha256: sha256(secret),
      permissions: [...new Set(input.permissions)],
      status: "ACTIVE",
      ip_allow_list: [...(input.ipAllowList ?? [])],
      expires_at: input.expiresAt ? new Date(input.expiresAt).toISOString() : null,
      rotated_from: input.rotatedFrom ?? null,
      created_at,
      updated_at: created_at,
    });
    await recordKeyAction(tx, input.environmentId, id, "created", input);
    return { row, secret };
  });
}

/** Throws `invalid_parameter`. What is refused must not be written first and taken back: it would stay in the tables' files. */
export function checkNewKey(input: Omit<CreateApiKeyInput, "environmentId">, now: Date): void {
  const expiresAt = input.expiresAt ? new Date(input.expiresAt) : null;
  const errors: FieldError[] = [];
  const invalid = (param: string, message: string) => errors.push({ param, code: "invalid_parameter", message });
  if (input.name.trim() === "" || input.name.length > 100)
    invalid("name", "Give the key a name of 1 to 100 characters.");
  if (input.permissions.length === 0) invalid("permissions", "Give the key at least one permission.");
  input.permissions.forEach((permission, i) => {
    if (!PERMISSIONS.includes(permission)) invalid(`permissions.${i}`, `There is no permission '${permission}'.`);
  });
  // Written so that an unreadable date, too, is not "in the future".
  if (expiresAt !== null && !(expiresAt > now)) invalid("expires_at", "Choose an expiry in the future.");
  input.ipAllowList?.forEach((entry, i) => {
    if (!isAllowListEntry(entry)) {
      invalid(`ip_allow_list.${i}`, NOT_AN_ADDRESS);
    }
  });
  if (errors[0] !== undefined) throw new AppError("invalid_parameter", errors[0].message, { errors });
}
