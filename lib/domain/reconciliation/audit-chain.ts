import { createHash } from "node:crypto";
import type { Transaction } from "@/db/client";
import {
  insertLinks,
  insertSeal,
  listChainEnds,
  listPendingAudit,
  listSeals,
  listUnsealedEnds,
  lockChains,
  type NewLink,
  removePending,
  type SealRow,
} from "@/db/queries/audit-chain";
import type { Secret } from "@/lib/secret";
import type { Service } from "../context";

const AT_ONCE = 1_000;
const SEALS_AT_ONCE = 500;

/** Puts rows of the audit logs into their merchants' chains, in the order of their ids, some at a time; answers how many. */
export function chainAuditLogs({ db }: Pick<Service, "db">): Promise<number> {
  return db.sql.begin(async (tx) => {
    if (!(await lockChains(tx))) return 0;
    const rows = await listPendingAudit(tx, AT_ONCE);
    if (rows.length === 0) return 0;
    rows.sort((a, b) => (a.row_id < b.row_id ? -1 : 1));
    const ends = await listChainEnds(tx, [...new Set(rows.map((row) => row.chain_id))]);
    const last = new Map(ends.map((end) => [end.chain_id, end]));
    const links = rows.map(({ chain_id, log, environment_id, row_id, text }): NewLink => {
      const end = last.get(chain_id) ?? { seq: 0, hash: Buffer.from(chain_id.replaceAll("-", ""), "hex") };
      const seq = end.seq + 1;
      const link = { chain_id, seq, log, environment_id, row_id, hash: linkHash(end.hash, seq, text ?? "") };
      last.set(chain_id, link);
      return link;
    });
    await insertLinks(tx, links);
    await removePending(
      tx,
      rows.map((row) => row.place),
    );
    return rows.length;
  }) as Promise<number>;
}

/** The same as in the check `audit_chains_hold`. */
function linkHash(previous: Buffer, seq: number, text: string): Buffer {
  const number = Buffer.alloc(8);
  number.writeBigInt64BE(BigInt(seq));
  return createHash("sha256").update(previous).update(number).update(text, "utf8").digest();
}

const sealed = ({ chain_id, seq, hash }: { chain_id: string; seq: number; hash: Buffer }) =>
  `${chain_id} ${seq} ${hash.toString("hex")}`;

/**
 * Seals each chain as it was when the day began, under the service's secret, once a day and again when the secret changes.
 * A chain that does not fit its earlier seals is not sealed anew. Answers how many; the log says so, for whoever compares.
 */
export async function sealAuditLogs({ db, secret, log }: Pick<Service, "db" | "secret" | "log">): Promise<number> {
  const ends = await listUnsealedEnds(db.sql, secret.keyId, SEALS_AT_ONCE);
  if (ends.length === 0) return 0;
  const broken = new Set(
    faultsOf(
      await listSeals(
        db.sql,
        ends.map((end) => end.chain_id),
      ),
      secret,
    ).map((fault) => fault.chain_id),
  );
  if (broken.size > 0) log.error({ chains: [...broken] }, "audit chains do not fit their seals: run npm run verify");
  const sound = ends.filter((end) => !broken.has(end.chain_id));
  const digest = createHash("sha256");
  for (const end of sound) {
    const mac = secret.mac("audit-seal", sealed(end));
    digest.update(mac);
    await insertSeal(db.sql, { ...end, key_id: secret.keyId, mac });
  }
  if (sound.length > 0) {
    log.info({ chains: sound.length, day: sound[0]?.day, digest: digest.digest("hex") }, "audit chains sealed");
  }
  return sound.length;
}

export type SealFault = { chain_id: string; seq: number; day: string; problem: string };

/** What of the chains does not fit the seals, by the keys that are at hand. */
export async function listSealFaults(tx: Transaction, secret: Secret): Promise<SealFault[]> {
  return faultsOf(await listSeals(tx), secret);
}

function faultsOf(seals: readonly SealRow[], secret: Secret): SealFault[] {
  // The newest seal covers the whole chain before it; older ones may be of a secret that is gone.
  const readable = new Map<string, number>();
  for (const { chain_id, seq, key_id } of seals) if (secret.keyIds.includes(key_id)) readable.set(chain_id, seq);
  return seals.flatMap((seal) => {
    const problem = problemOf(seal, secret, readable.get(seal.chain_id) ?? 0);
    return problem === null ? [] : [{ chain_id: seal.chain_id, seq: seal.seq, day: seal.day, problem }];
  });
}

function problemOf(seal: SealRow, secret: Secret, readable: number): string | null {
  if (!secret.keyIds.includes(seal.key_id)) {
    return seal.seq <= readable ? null : `sealed under the secret ${seal.key_id}, which is not known here`;
  }
  if (!secret.isMac("audit-seal", sealed(seal), seal.mac)) return "the seal was changed";
  if (seal.linked === null) return "the chain was cut before its seal";
  return seal.linked.equals(seal.hash) ? null : "the chain was written anew since it was sealed";
}
