import { createHash } from "node:crypto";
import {
  findLastSeal,
  insertLinks,
  insertSeal,
  listChainEnds,
  listPendingAudit,
  listUnsealedEnds,
  lockChains,
  type NewLink,
  removePending,
  waitForChains,
} from "@/db/queries/reconciliation/audit-chain";
import type { Service } from "../context";
import { linkText, listFaultsOfChains, sealText } from "./audit-seals";

const ROWS_PER_RUN = 1_000;
const SEALS_AT_ONCE = 500;
const NO_SEAL = { number: 0, mac: "" };

/**
 * Adds audit log rows to their merchants' chains in id order,
 * a limited number at a time; returns the number added.
 */
export function chainAuditLogs({ db, secret }: Pick<Service, "db" | "secret">): Promise<number> {
  return db.sql.begin(async (tx) => {
    if (!(await lockChains(tx))) return 0;
    const rows = await listPendingAudit(tx, ROWS_PER_RUN);
    if (rows.length === 0) return 0;
    rows.sort((a, b) => (a.row_id < b.row_id ? -1 : 1));
    const ends = await listChainEnds(tx, [...new Set(rows.map((row) => row.chain_id))]);
    const seal = (await findLastSeal(tx)) ?? NO_SEAL;
    const last = new Map(ends.map((end) => [end.chain_id, end]));
    const links = rows.map(({ chain_id, log, environment_id, row_id, text }): NewLink => {
      const end = last.get(chain_id) ?? { seq: 0, hash: Buffer.from(chain_id.replaceAll("-", ""), "hex") };
      const seq = end.seq + 1;
      const hash = linkHash(end.hash, seq, text ?? "");
      const link = { chain_id, seq, log, environment_id, row_id, hash, seal_number: seal.number };
      last.set(chain_id, link);
      return { mac: secret.mac("audit-link", linkText(link, seal.mac)), ...link };
    });
    await insertLinks(tx, links);
    await removePending(
      tx,
      rows.map((row) => row.ctid),
    );
    return rows.length;
  }) as Promise<number>;
}

/** Must match the check `audit_chains_hold`. */
function linkHash(previous: Buffer, seq: number, text: string): Buffer {
  const number = Buffer.alloc(8);
  number.writeBigInt64BE(BigInt(seq));
  return createHash("sha256").update(previous).update(number).update(text, "utf8").digest();
}

/**
 * Seals each chain as of the start of the day, with the service's secret: once a day,
 * and again when the secret changes. A chain that contradicts its earlier seals or MACs
 * is not sealed again. Returns the number sealed; the log has each seal for comparison.
 */
export function sealAuditLogs({ db, secret, log }: Pick<Service, "db" | "secret" | "log">): Promise<number> {
  return db.sql.begin(async (tx) => {
    await waitForChains(tx);
    const ends = await listUnsealedEnds(tx, secret.keyId, SEALS_AT_ONCE);
    if (ends.length === 0) return 0;
    const parts = ends.map(({ chain_id, sealed_seq }) => ({ chain_id, after: sealed_seq }));
    const broken = new Set((await listFaultsOfChains(tx, secret, parts)).map((fault) => fault.chain_id));
    if (broken.size > 0)
      log.error({ chains: [...broken] }, "audit chains do not match their seals: run npm run verify");
    const sound = ends.filter((end) => !broken.has(end.chain_id));
    let { number, mac } = (await findLastSeal(tx)) ?? NO_SEAL;
    for (const end of sound) {
      const seal = { ...end, key_id: secret.keyId, number: number + 1, previous_mac: mac };
      mac = secret.mac("audit-seal", sealText(seal));
      number = seal.number;
      await insertSeal(tx, { ...seal, mac });
    }
    if (sound.length > 0) {
      log.info({ chains: sound.length, day: sound[0]?.day, last_seal: number, mac }, "audit chains sealed");
    }
    return sound.length;
  }) as Promise<number>;
}
