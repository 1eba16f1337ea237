import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Orm } from "@/db/client";
import {
  type ApiKeyRow,
  expireApiKeyIn,
  findEnvironmentMode,
  forgetLimitedAmount,
  insertApiKey,
  isRotated,
  type ApiKeySettings as StoredSettings,
  updateApiKey,
} from "@/db/queries/api-keys";
import {
  type ApiKey,
  type ApiKeySettings,
  type IssuedApiKey,
  type KeyLimits,
  NOT_AN_ADDRESS,
  type OverlapHours,
  type RotateApiKeyBody,
  type UpdateApiKeyBody,
} from "@/lib/contract/api-keys/api-keys";
import { limitsText } from "@/lib/contract/api-keys/limits-text";
import { AppError, type FieldError, isRefusal, type Problem } from "@/lib/contract/errors";
import { instantOf } from "@/lib/contract/fields";
import { PERMISSIONS, type Permission } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import { idTime, newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { onlyChanged } from "../accounts/account";
import { requireAlone } from "../approvals/rules";
import { type Context, resourceNotFound } from "../context";
import { runOnce } from "../idempotency/run-once";
import { invalidKeyState, isAllowListEntry, type KeyInput, lockKey } from "./change-keys";
import {
  availableActions,
  getApiKey,
  type KeyService,
  type ManagedBy,
  presentApiKey,
  recordKeyAction,
  statusAt,
} from "./read-keys";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const PATTERN = new RegExp(`^sk_(test|live)_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

const keyPrefix = (mode: Mode) => `sk_${mode}_`;

/**
 * A new secret: prefix, 32 random base62 characters (190 bits), and a checksum that detects a mistyped or
 * truncated key.
 */
export function newKeySecret(mode: Mode): string {
  const body = keyPrefix(mode) + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** True if a text has the form of a key; others are refused without a query. */
export function isWellFormedKey(text: string): boolean {
  return PATTERN.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 = 4 × 62: higher bytes would make the first eight characters more likely than the others.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

export const normalizeSettings = (input: ApiKeySettings) => ({
  name: input.name.trim(),
  permissions: [...new Set(input.permissions)],
  expiresAt: input.expires_at === null ? null : instantOf(input.expires_at).toISOString(),
  ipAllowList: input.ip_allow_list,
  limits: input.limits === undefined ? undefined : normalizeLimits(input.limits),
});

/** Limits that limit nothing are none. */
const normalizeLimits = (limits: KeyLimits | null): KeyLimits | null =>
  limits !== null && Object.values(limits).some((limit) => limit !== null) ? limits : null;

/**
 * Creates a key for a user. A retry under the same idempotency key returns the same key, without the secret.
 */
export async function issueApiKey(ctx: Context, input: ApiKeySettings): Promise<IssuedApiKey> {
  const wanted = normalizeSettings(input);
  checkSettings(wanted, ctx.service.clock.now());
  return issueOnce(ctx, (service, by) =>
    createApiKey(service, { ...by, ...wanted, environmentId: ctx.environment.id }),
  );
}

/** Stores a response without the secret, not even sealed: only the first response contains it. */
async function issueOnce(
  ctx: Context,
  create: (service: KeyService, by: Required<ManagedBy>) => Promise<NewApiKey>,
): Promise<IssuedApiKey> {
  let secret: string | null = null;
  const reply = await runOnce(ctx, async (tx: Orm) => {
    const by = { actor: ctx.actor, requestId: ctx.request.id };
    const created = await create({ db: { orm: tx }, clock: ctx.service.clock }, by);
    secret = created.secret;
    return presentApiKey(created.row, ctx.service.clock.now(), null);
  });
  const body = JSON.parse(reply.body);
  if (!isRefusal(reply.status)) return { api_key: body, secret: reply.replayed ? null : secret };
  // A refusal stored under the idempotency key.
  const { code, detail, current_status, allowed_actions } = body as Problem;
  throw new AppError(code, detail, { extra: { current_status, allowed_actions } });
}

export type CreateApiKeyInput = ManagedBy & {
  /** UUID. */
  environmentId: string;
  /** UUID of the new key; by default, one of now. */
  id?: string | undefined;
  name: string;
  permissions: readonly Permission[];
  /** ISO 8601, in the future; null = never. */
  expiresAt?: string | null;
  /** Addresses and CIDR blocks; empty = any address. */
  ipAllowList?: readonly string[];
  limits?: KeyLimits | null | undefined;
  /** The key it replaces, with which it shares the count of its limits. */
  rotatedFrom?: ApiKeyRow;
};

/** The row, and the secret, which is shown only once. */
type NewApiKey = { row: ApiKeyRow; secret: string };

export async function createApiKey(service: KeyService, input: CreateApiKeyInput): Promise<NewApiKey> {
  checkSettings(input, service.clock.now());
  const { rotatedFrom } = input;
  return service.db.orm.transaction(async (tx) => {
    const mode = await findEnvironmentMode(tx, input.environmentId);
    if (mode === null) throw resourceNotFound("environment", input.environmentId);
    const secret = newKeySecret(mode);
    const id = input.id ?? newId();
    const created_at = input.id === undefined ? idTime(id) : service.clock.now().toISOString();
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
      limits: input.limits ?? null,
      rotated_from: rotatedFrom?.id ?? null,
      limits_counted_in: rotatedFrom ? (rotatedFrom.limits_counted_in ?? rotatedFrom.id) : null,
      created_at,
      updated_at: created_at,
    });
    await recordKeyAction(tx, "created", { before: null, after: row, now: service.clock.now() }, input);
    return { row, secret };
  });
}

/**
 * Throws `invalid_parameter`. Call before any write: a refused value would stay in the table's files after a
 * rollback.
 */
export function checkSettings(input: Omit<CreateApiKeyInput, "environmentId">, now: Date): void {
  const expiresAt = input.expiresAt ? new Date(input.expiresAt) : null;
  const errors: FieldError[] = [];
  const invalid = (param: string, message: string) => errors.push({ param, code: "invalid_parameter", message });
  if (input.name.trim() === "" || input.name.length > 100)
    invalid("name", "Give the key a name of 1 to 100 characters.");
  if (input.permissions.length === 0) invalid("permissions", "Give the key at least one permission.");
  input.permissions.forEach((permission, i) => {
    if (!PERMISSIONS.includes(permission)) invalid(`permissions.${i}`, `There is no permission '${permission}'.`);
  });
  // Negated so that an invalid date is refused, too.
  if (expiresAt !== null && !(expiresAt > now)) invalid("expires_at", "Choose an expiry in the future.");
  input.ipAllowList?.forEach((entry, i) => {
    if (!isAllowListEntry(entry)) {
      invalid(`ip_allow_list.${i}`, NOT_AN_ADDRESS);
    }
  });
  if (errors[0] !== undefined) throw new AppError("invalid_parameter", errors[0].message, { errors });
}

/**
 * Changes a key's name, permissions, expiry and allow list, but not its secret. Takes effect in every process
 * within a second. Refused if the key has changed since the caller read it, because the edit would undo that
 * change, and if it gives the key more than a colleague has approved.
 */
export async function editApiKey(ctx: Context, { id, ...input }: UpdateApiKeyBody & { id: string }): Promise<ApiKey> {
  const { service, environment, actor, request } = ctx;
  const now = service.clock.now();
  const { limits: wantedLimits, ...wanted } = normalizeSettings(input);
  checkSettings(wanted, now);
  const { orm } = service.db.within(environment.id);
  await orm.transaction(async (tx) => {
    const by = { environmentId: environment.id, id, actor, requestId: request.id };
    const row = await lockKey(tx, by);
    const replaced = await isRotated(tx, environment.id, row.id);
    if (!availableActions(statusAt(row, now), replaced).includes("edit")) {
      const detail = replaced
        ? "The key was rotated and can no longer be edited. Edit the key that replaced it."
        : "The key no longer works and can't be edited. Create a new key.";
      throw invalidKeyState(row, now, replaced, detail);
    }
    const limits = wantedLimits === undefined ? row.limits : wantedLimits;
    const settings = {
      name: wanted.name,
      permissions: wanted.permissions,
      expires_at: wanted.expiresAt,
      ip_allow_list: wanted.ipAllowList,
      limits,
    };
    if (Object.keys(diffSettings(row, settings)).length === 0) return;
    if (Date.parse(row.updated_at) !== instantOf(input.updated_at).getTime()) {
      const detail = "The key was changed after you opened this page. Reload the page, then make your change again.";
      throw invalidKeyState(row, now, replaced, detail);
    }
    if (widens(row, settings)) await requireAlone(ctx, "LIVE_KEY", tx);
    await applyKeySettings(tx, { row, settings, now }, by);
  });
  return getApiKey(ctx, { id });
}

/** Stores checked settings of a locked key. `detail`: stored in the audit log with the changes. */
export async function applyKeySettings(
  tx: Orm,
  { row, settings, now }: { row: ApiKeyRow; settings: StoredSettings; now: Date },
  by: ManagedBy & { environmentId: string },
  detail: Record<string, unknown> = {},
): Promise<void> {
  const { environmentId } = by;
  const changes = diffSettings(row, settings);
  const changed = await updateApiKey(tx, environmentId, row.id, { ...settings, updated_at: now.toISOString() });
  if (settings.limits !== null && settings.limits.currency !== row.limits?.currency) {
    await forgetLimitedAmount(tx, environmentId, row.limits_counted_in ?? row.id);
  }
  await recordKeyAction(tx, "updated", { before: row, after: changed, now }, by, { ...detail, changes });
}

/** True if a key with new settings can do something that it could not before. */
export function widens(before: StoredSettings, after: StoredSettings): boolean {
  const has = (list: readonly string[]) => (entry: string) => list.includes(entry);
  if (!after.permissions.every(has(before.permissions))) return true;
  if (before.expires_at !== null && (after.expires_at === null || after.expires_at > before.expires_at)) return true;
  const anyBefore = before.ip_allow_list.length === 0;
  if (!anyBefore && (after.ip_allow_list.length === 0 || !after.ip_allow_list.every(has(before.ip_allow_list))))
    return true;
  if (before.limits === null) return false;
  if (after.limits === null || (before.limits.currency !== null && after.limits.currency !== before.limits.currency))
    return true;
  const raised = (was: number | null, is: number | null) => was !== null && (is === null || is > was);
  return (["refund_max", "refunds_per_day", "refund_amount_per_day"] as const).some((limit) =>
    raised(before.limits?.[limit] ?? null, after.limits?.[limit] ?? null),
  );
}

/** An edit's changes as name → [before, after]. The order of permissions doesn't matter. */
function diffSettings(row: ApiKeyRow, wanted: StoredSettings) {
  const listed = (permissions: readonly string[]) => permissions.toSorted().join(", ");
  return onlyChanged({
    name: [row.name, wanted.name],
    permissions: [listed(row.permissions), listed(wanted.permissions)],
    expires_at: [row.expires_at, wanted.expires_at],
    ip_allow_list: [row.ip_allow_list.join(", "), wanted.ip_allow_list.join(", ")],
    limits: [row.limits && limitsText(row.limits), wanted.limits && limitsText(wanted.limits)],
  });
}

/** Rotates a key for a user: a new secret with the same settings. For retries see {@link issueOnce}. */
export function reissueApiKey(
  ctx: Context,
  input: Omit<RotateApiKeyBody, "attempt"> & { id: string },
): Promise<IssuedApiKey> {
  return issueOnce(ctx, (service, by) =>
    rotateApiKey(service, {
      ...by,
      environmentId: ctx.environment.id,
      id: input.id,
      overlapHours: input.overlap_hours,
    }),
  );
}

/** Replaces a key by a new one with the same settings. The old one still works for `overlapHours`. */
export function rotateApiKey(
  service: KeyService,
  input: KeyInput & { overlapHours: OverlapHours; newKeyId?: string },
): Promise<NewApiKey> {
  const { environmentId, overlapHours, actor, requestId } = input;
  return service.db.orm.transaction(async (tx) => {
    const old = await lockKey(tx, input);
    const now = service.clock.now();
    const replaced = await isRotated(tx, environmentId, old.id);
    const refused = (detail: string) => invalidKeyState(old, now, replaced, detail);
    if (old.status !== "ACTIVE") throw refused(`The key is ${old.status}; only an ACTIVE one can be rotated.`);
    if (replaced) throw refused("The key was already rotated. Rotate the key that replaced it.");
    if (statusAt(old, now) === "EXPIRED") throw refused("The key has expired. Create a new key.");
    const created = await createApiKey(
      { ...service, db: { orm: tx } },
      {
        environmentId,
        id: input.newKeyId,
        name: old.name,
        permissions: old.permissions as Permission[],
        expiresAt: old.expires_at,
        ipAllowList: old.ip_allow_list,
        limits: old.limits,
        rotatedFrom: old,
        ...(actor && { actor }),
        ...(requestId && { requestId }),
      },
    );
    const ending = await expireApiKeyIn(tx, environmentId, old.id, overlapHours, now.toISOString());
    await recordKeyAction(tx, "rotated", { before: old, after: ending, now: service.clock.now() }, input);
    return created;
  });
}
