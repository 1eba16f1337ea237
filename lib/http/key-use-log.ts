import type { Sql } from "@/db/client";
import { nowMs } from "@/lib/clock";
import { type KeyUse, recordKeyUses } from "@/lib/domain/api-keys/read-keys";

const FLUSH_MS = 5_000;

/** The last use of one key. One object while the key is in use, so that noting a use allocates nothing. */
export type KeyUseRecord = {
  readonly environmentId: string;
  readonly keyId: string;
  at: number;
  ip: string;
  pending: boolean;
};

type KeyUseLogService = {
  readonly db: { readonly sql: Sql };
  readonly log: { warn(details: object, message: string): void };
};

/**
 * Collects the last use of keys in memory and writes it every few seconds: a write per request would cost as
 * much as the request.
 */
export function createKeyUseLog(service: KeyUseLogService) {
  let pending = new Map<string, KeyUseRecord>();
  let flushing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const taken = pending;
    pending = new Map();
    const uses: KeyUse[] = [];
    for (const record of taken.values()) {
      record.pending = false;
      const { environmentId, keyId, at, ip } = record;
      uses.push({ environmentId, keyId, at: new Date(at), ip });
    }
    try {
      await recordKeyUses(service, uses);
    } catch (error) {
      // Retried without an error: the next flush writes what was not used again since.
      for (const [keyId, record] of taken) {
        if (pending.has(keyId)) continue;
        record.pending = true;
        pending.set(keyId, record);
      }
      service.log.warn({ err: error }, "could not record the last use of API keys");
    }
  }

  const flush = (): Promise<void> => {
    flushing = flushing.then(write);
    return flushing;
  };
  const timer = setInterval(() => void flush(), FLUSH_MS).unref();

  return {
    of: (environmentId: string, keyId: string): KeyUseRecord =>
      pending.get(keyId) ?? { environmentId, keyId, at: 0, ip: "", pending: false },
    note(record: KeyUseRecord, ip: string): void {
      record.at = nowMs();
      record.ip = ip;
      if (record.pending) return;
      record.pending = true;
      pending.set(record.keyId, record);
    },
    flush,
    stop(): Promise<void> {
      clearInterval(timer);
      return flush();
    },
  };
}
