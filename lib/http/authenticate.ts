import { hash } from "node:crypto";
import type { BlockList } from "node:net";
import type { Sql } from "@/db/client";
import { clockSettingOf } from "@/db/queries/clock";
import { BoundedMap } from "@/lib/bounded-map";
import { AppError } from "@/lib/contract/errors";
import type { UserPermission } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import { createAllowList, isListed } from "@/lib/domain/api-keys/change-keys";
import { isWellFormedKey } from "@/lib/domain/api-keys/issue-keys";
import { findUsableKey, type UsableKey } from "@/lib/domain/api-keys/read-keys";
import { type Caller, merchantSuspended } from "./caller";
import { createKeyUseLog, type KeyUseRecord } from "./key-use-log";
import type { UnauthorizedLimiter } from "./rate-limit";

export type Credentials = {
  /** The X-Api-Key header. */
  apiKey: string | null;
  /** The Host header. */
  host: string | null;
  /** The caller's address. */
  ip: string;
};

type AuthenticatorService = {
  readonly db: { readonly sql: Sql };
  readonly log: { warn(details: object, message: string): void };
};

export type AuthenticatorOptions = {
  /** Public addresses of the environments; on them a key of the other environment is refused. */
  sandboxBaseUrl?: string | null;
  liveBaseUrl?: string | null;
  unauthorized?: UnauthorizedLimiter;
};

/** Keys that have worked recently: failures of another caller at the same address do not block them. */
const MAX_WORKING_KEYS = 10_000;

export type Authenticator = {
  authenticate(request: Credentials): Promise<Caller>;
  /** Records when keys were last used. Runs every few seconds by itself. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

type Entry = {
  /** One settled promise per key, so that a request with a known key allocates nothing. */
  readonly caller: Promise<Caller>;
  readonly mode: Mode;
  readonly suspended: boolean;
  readonly allowList: BlockList | null;
  readonly use: KeyUseRecord;
};

export function createAuthenticator(service: AuthenticatorService, options: AuthenticatorOptions = {}): Authenticator {
  const uses = createKeyUseLog(service);
  const keys = createKeyCache(service, (key) => entryOf(key, uses.of(key.environment_id, key.id)));
  const modeOfHost = modesByHost(options);

  const { unauthorized } = options;
  const proven = new BoundedMap<string, true>(MAX_WORKING_KEYS);

  function admit(entry: Entry, request: Credentials): Promise<Caller> {
    if (modeOfHost !== null && (modeOfHost.get(hostOf(request.host)) ?? entry.mode) !== entry.mode) throw keyInvalid();
    if (entry.allowList !== null && !isListed(entry.allowList, request.ip)) throw ipNotAllowed(request.ip);
    if (entry.suspended) throw merchantSuspended();
    uses.note(entry.use, request.ip);
    return entry.caller;
  }

  async function lookUp(request: Credentials, apiKey: string, digest: string): Promise<Caller> {
    if (!proven.has(digest)) unauthorized?.check("key", request.ip);
    const entry = isWellFormedKey(apiKey) ? await keys.lookUp(digest) : null;
    if (entry !== null) {
      proven.set(digest, true);
      return admit(entry, request);
    }
    proven.delete(digest);
    throw keyInvalid();
  }

  /** The 401, or 429 for an address with too many failures. */
  function counted(error: unknown, { ip }: Credentials): unknown {
    if (!(error instanceof AppError) || error.status !== 401) return error;
    try {
      unauthorized?.note("key", ip);
      return error;
    } catch (limited) {
      return limited;
    }
  }

  return {
    authenticate(request) {
      const { apiKey } = request;
      if (!apiKey) return Promise.reject(counted(keyMissing(), request));
      const digest = hash("sha256", apiKey, "base64");
      const entry = keys.peek(digest);
      if (entry === undefined) {
        return lookUp(request, apiKey, digest).catch((error: unknown) => {
          throw counted(error, request);
        });
      }
      try {
        return admit(entry, request);
      } catch (error) {
        return Promise.reject(counted(error, request));
      }
    },
    flush: uses.flush,
    stop: uses.stop,
  };
}

function entryOf(key: UsableKey, use: KeyUseRecord): Entry {
  const caller: Caller = {
    actor: { type: "api_key", id: key.id },
    limitKey: key.id,
    environment: { id: key.environment_id, mode: key.mode, merchantId: key.merchant_id, clock: clockSettingOf(key) },
    permissions: new Set<UserPermission>(key.permissions),
    verified: key.verified,
  };
  return {
    caller: Promise.resolve(caller),
    mode: key.mode,
    suspended: key.suspended,
    allowList: key.ip_allow_list.length > 0 ? createAllowList(key.ip_allow_list) : null,
    use,
  };
}

/** Null unless the environments have addresses of their own. */
function modesByHost({ sandboxBaseUrl, liveBaseUrl }: AuthenticatorOptions): Map<string, Mode> | null {
  const modes = new Map<string, Mode>();
  if (sandboxBaseUrl) modes.set(hostOf(new URL(sandboxBaseUrl).host), "test");
  if (liveBaseUrl) {
    const host = hostOf(new URL(liveBaseUrl).host);
    if (modes.has(host)) modes.delete(host);
    else modes.set(host, "live");
  }
  return modes.size > 0 ? modes : null;
}

/** Host names in one spelling: lower case, without the root's dot and the default port. */
const hostOf = (host: string | null): string => (host ?? "").toLowerCase().replace(/\.?(:443|:80)?$/, "");

const keyMissing = () =>
  new AppError(
    "api_key_missing",
    "Send your API key in the X-Api-Key header. Create one in the dashboard under API keys.",
  );

/** One response for every reason, so that it reveals nothing about a key. */
const keyInvalid = () =>
  new AppError(
    "api_key_invalid",
    "The API key in the X-Api-Key header does not work here. Check that it is complete, active and for this environment.",
  );

const ipNotAllowed = (ip: string) =>
  new AppError("ip_not_allowed", `This API key may not be used from ${ip}. Add the address to the key's allow list.`);

/** Age limit of a cached key: half of the second within which a revoked key stops working. */
const TTL_MS = 500;
const MAX_ENTRIES = 10_000;

type Kept<T> = { readonly value: T; readonly validUntil: number };
type Lookup<T> = { readonly value: Promise<T | null>; readonly startedAt: number };

/**
 * Cache of usable keys by the digest of their secret, with the value that `make` returns. Age counts from
 * before the database was read, on the monotonic clock. Unusable keys are not cached.
 */
function createKeyCache<T>(service: { readonly db: { readonly sql: Sql } }, make: (key: UsableKey) => T) {
  const kept = new BoundedMap<string, Kept<T>>(MAX_ENTRIES);
  const lookups = new Map<string, Lookup<T>>();

  async function load(digest: string, startedAt: number): Promise<T | null> {
    const key = await findUsableKey(service, Buffer.from(digest, "base64"));
    if (key === null) return null;
    const value = make(key);
    // Entries live for half a second and go to the end when renewed, so the first one is the least recently
    // used.
    kept.set(digest, { value, validUntil: startedAt + TTL_MS });
    return value;
  }

  return {
    /** The cached value; undefined if it is missing or too old. */
    peek(digest: string): T | undefined {
      const entry = kept.get(digest);
      return entry !== undefined && performance.now() < entry.validUntil ? entry.value : undefined;
    },
    /** Joins a look-up of the same key, unless that one may have read the database too long ago. */
    lookUp(digest: string): Promise<T | null> {
      const now = performance.now();
      const running = lookups.get(digest);
      if (running !== undefined && now - running.startedAt < TTL_MS) return running.value;
      const lookup = { value: load(digest, now), startedAt: now };
      lookups.set(digest, lookup);
      const forget = () => {
        if (lookups.get(digest) === lookup) lookups.delete(digest);
      };
      lookup.value.then(forget, forget);
      return lookup.value;
    },
  };
}
