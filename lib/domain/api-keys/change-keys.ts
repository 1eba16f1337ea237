import { BlockList, isIP } from "node:net";
import type { Orm } from "@/db/client";
import {
  type ApiKeyRow,
  type ApiKeyStatus,
  findReplacements,
  lockApiKey,
  updateApiKeyStatus,
} from "@/db/queries/api-keys";
import type { ApiKey } from "@/lib/contract/api-keys/api-keys";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { type Context, resourceNotFound } from "../context";
import {
  availableActions,
  type KeyAction,
  type KeyService,
  type ManagedBy,
  presentApiKey,
  recordKeyAction,
  statusAt,
} from "./read-keys";

/** `environmentId` is a UUID, `id` a public `key_…`. */
export type KeyInput = ManagedBy & { environmentId: string; id: string };

export async function lockKey(tx: Orm, input: KeyInput): Promise<ApiKeyRow> {
  const id = decodeId("apiKey", input.id);
  const row = id === null ? null : await lockApiKey(tx, input.environmentId, id);
  if (row === null) throw resourceNotFound("API key", input.id);
  return row;
}

export function invalidKeyState(row: ApiKeyRow, now: Date, replaced: boolean, detail: string): AppError {
  const current_status = statusAt(row, now);
  const allowed_actions = availableActions(current_status, replaced);
  return new AppError("invalid_state", detail, { extra: { current_status, allowed_actions } });
}

const VERBS = { disable: disableApiKey, enable: enableApiKey, revoke: revokeApiKey };

/** Disables, enables or revokes a key for a user; returns the changed key. */
export async function setKeyState(ctx: Context, input: { id: string; action: keyof typeof VERBS }): Promise<ApiKey> {
  const { service, environment, actor, request } = ctx;
  const db = service.db.within(environment.id);
  const row = await VERBS[input.action](
    { db, clock: service.clock },
    {
      environmentId: environment.id,
      id: input.id,
      actor,
      requestId: request.id,
    },
  );
  const replacements = await findReplacements(db.orm, environment.id, [row.id]);
  return presentApiKey(row, service.clock.now(), replacements.get(row.id) ?? null);
}

const ACTION: Record<ApiKeyStatus, KeyAction> = { ACTIVE: "enabled", DISABLED: "disabled", REVOKED: "revoked" };

/**
 * Takes effect in every process within a second. A key that already has the status is unchanged; a revoked
 * one is refused.
 */
function changeKeyStatus(service: KeyService, input: KeyInput, to: ApiKeyStatus): Promise<ApiKeyRow> {
  return service.db.orm.transaction(async (tx) => {
    const row = await lockKey(tx, input);
    if (row.status === to) return row;
    const now = service.clock.now();
    if (row.status === "REVOKED")
      throw invalidKeyState(row, now, false, "A revoked key stays revoked. Create a new key.");
    const changed = await updateApiKeyStatus(tx, input.environmentId, row.id, to, now.toISOString());
    await recordKeyAction(tx, ACTION[to], { before: row, after: changed, now }, input);
    return changed;
  });
}

/** Lets a disabled key work again. */
export function enableApiKey(service: KeyService, input: KeyInput): Promise<ApiKeyRow> {
  return changeKeyStatus(service, input, "ACTIVE");
}

/** Stops a key; it can be enabled again. */
export function disableApiKey(service: KeyService, input: KeyInput): Promise<ApiKeyRow> {
  return changeKeyStatus(service, input, "DISABLED");
}

/** Revokes a key permanently. */
export function revokeApiKey(service: KeyService, input: KeyInput): Promise<ApiKeyRow> {
  return changeKeyStatus(service, input, "REVOKED");
}

/**
 * A set of addresses and CIDR blocks; throws on an entry that is neither. IPv4 matches in IPv4-mapped
 * notation, too.
 */
export function createAllowList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const parsed = parseEntry(entry);
    if (parsed === null) throw new Error(`not an address or CIDR block: ${entry}`);
    if (parsed.prefix === null) list.addAddress(parsed.address, parsed.family);
    else list.addSubnet(parsed.address, parsed.prefix, parsed.family);
  }
  return list;
}

export const isAllowListEntry = (entry: string): boolean => parseEntry(entry) !== null;

export function isListed(list: BlockList, ip: string): boolean {
  const version = isIP(ip);
  return version !== 0 && !ip.includes("%") && list.check(ip, version === 6 ? "ipv6" : "ipv4");
}

function parseEntry(entry: string) {
  const [address = "", prefixText, ...more] = entry.split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || more.length > 0) return null;
  const family = version === 6 ? ("ipv6" as const) : ("ipv4" as const);
  if (prefixText === undefined) return { address, prefix: null, family };
  const prefix = Number(prefixText);
  return /^\d{1,3}$/.test(prefixText) && prefix <= (version === 6 ? 128 : 32) ? { address, prefix, family } : null;
}
