import type { Transaction } from "@/db/client";
import {
  type ChainPart,
  type LinkRow,
  listLinksAfter,
  listSealedParts,
  listSeals,
  type NewLink,
  type SealRow,
} from "@/db/queries/reconciliation/audit-chain";
import type { Secret } from "@/lib/secret";

const CHAINS_PER_QUERY = 50;
const LINKS_PER_QUERY = 1_000;

export type SealFault = { chain_id: string; seq: number; day: string; problem: string };

/** Text of a link's MAC; `sealMac` is the MAC of the seal with its `seal_number`. */
export const linkText = (link: Pick<NewLink, "chain_id" | "seq" | "hash" | "seal_number">, sealMac: string) =>
  `${link.chain_id} ${link.seq} ${link.hash.toString("hex")} ${link.seal_number} ${sealMac}`;

type Sealed = Pick<SealRow, "chain_id" | "seq" | "hash" | "day" | "number" | "previous_mac">;

/** Text of a seal's MAC. */
export const sealText = ({ number, previous_mac, day, chain_id, seq, hash }: Sealed) =>
  `${number} ${previous_mac} ${day} ${chain_id} ${seq} ${hash.toString("hex")}`;

/** Contradictions between all chains and their seals and MACs, checked with the available keys. */
export async function listSealFaults(tx: Transaction, secret: Secret): Promise<SealFault[]> {
  const seals = await listSeals(tx);
  const parts = await listSealedParts(tx);
  const unsealed = parts.flatMap(({ chain_id, seq, overdue_day: day }) =>
    day === null ? [] : [{ chain_id, seq: seq + 1, day, problem: "no seal covers this day" }],
  );
  const beyond = parts.map(({ chain_id, seq }) => ({ chain_id, after: seq }));
  return [...faultsOf(seals, secret), ...gapsOf(seals), ...unsealed, ...(await listLinkFaults(tx, secret, beyond))];
}

/**
 * Contradictions in some chains' seals, and in their links after the
 * given positions; there must be none before they are sealed again.
 */
export async function listFaultsOfChains(
  tx: Transaction,
  secret: Secret,
  parts: readonly ChainPart[],
): Promise<SealFault[]> {
  const seals = await listSeals(
    tx,
    parts.map((part) => part.chain_id),
  );
  return [...faultsOf(seals, secret), ...(await listLinkFaults(tx, secret, parts))];
}

function faultsOf(seals: readonly SealRow[], secret: Secret): SealFault[] {
  // The newest seal covers the whole chain before it; older ones may be by a secret that is gone.
  const readable = new Map<string, number>();
  for (const { chain_id, seq, key_id } of seals) if (secret.keyIds.includes(key_id)) readable.set(chain_id, seq);
  return seals.flatMap((seal) => {
    const problem = problemOf(seal, secret, readable.get(seal.chain_id) ?? 0);
    return problem === null ? [] : [faultAt(seal, problem)];
  });
}

const faultAt = ({ chain_id, seq, day }: Omit<SealFault, "problem">, problem: string): SealFault => ({
  chain_id,
  seq,
  day,
  problem,
});

function problemOf(seal: SealRow, secret: Secret, readable: number): string | null {
  if (!secret.keyIds.includes(seal.key_id)) {
    return seal.seq <= readable ? null : `sealed under the secret ${seal.key_id}, which is not known here`;
  }
  if (!secret.isMac("audit-seal", sealText(seal), seal.mac)) return "the seal was changed";
  if (seal.linked === null) return "the chain was cut before its seal";
  return seal.linked.equals(seal.hash) ? null : "the chain was rewritten after it was sealed";
}

/** Each seal includes the one before, so none can be removed alone. */
function gapsOf(seals: readonly SealRow[]): SealFault[] {
  const numbered = seals.toSorted((a, b) => a.number - b.number);
  return numbered.flatMap((seal, i) => {
    const before = numbered[i - 1] ?? { number: 0, mac: "" };
    if (seal.number === before.number + 1 && seal.previous_mac === before.mac) return [];
    return [faultAt(seal, `seals before this one, number ${seal.number}, are missing or were changed`)];
  });
}

/** Faults of links after the last seal, which are protected only by their own MACs. At most one per chain. */
async function listLinkFaults(tx: Transaction, secret: Secret, parts: readonly ChainPart[]): Promise<SealFault[]> {
  const faults = new Map<string, SealFault>();
  for (let at = 0; at < parts.length; at += CHAINS_PER_QUERY) {
    let left: ChainPart[] = parts.slice(at, at + CHAINS_PER_QUERY);
    while (left.length > 0) {
      const links = await listLinksAfter(tx, left, LINKS_PER_QUERY);
      const last = new Map(links.map((link) => [link.chain_id, link.seq]));
      for (const link of links) {
        const problem = faults.has(link.chain_id) ? null : problemOfLink(link, secret);
        if (problem !== null) faults.set(link.chain_id, faultAt(link, problem));
      }
      left = left.flatMap(({ chain_id }) => {
        const after = last.get(chain_id);
        return after === undefined || faults.has(chain_id) ? [] : [{ chain_id, after }];
      });
    }
  }
  return [...faults.values()];
}

function problemOfLink(link: LinkRow, secret: Secret): string | null {
  const { mac, seal_number } = link;
  const keyId = mac.slice(0, secret.keyId.length);
  if (!secret.keyIds.includes(keyId)) return `chained under the secret ${keyId}, which is not known here`;
  if (seal_number > 0 && link.seal_mac === null)
    return `seal ${seal_number}, which was there before this link, is gone`;
  return secret.isMac("audit-link", linkText(link, link.seal_mac ?? ""), mac)
    ? null
    : "a link that the service did not make, or a seal that it did not make";
}
