import type { Transaction } from "@/db/client";
import type { BookCheck } from "./book-check";

/** The chain of acts that concern no merchant. */
const NO_MERCHANT = "00000000-0000-0000-0000-000000000000";
/** Advisory lock: one process at a time assigns the numbers. */
const LOCK = "4846023523";

/** Input of a hash: the whole row, in a text that does not change when columns are added later. */
const MERCHANT_TEXT = `jsonb_build_array(a.environment_id, a.id, a.actor, a.action, a.object_id, a.request_id, a.detail,
  (extract(epoch from a.created_at) * 1000000)::bigint)::text`;
const SUPPORT_TEXT = `jsonb_build_array(s.id, s.staff_id, s.action, s.merchant_id, s.environment_id, s.object_id, s.detail,
  s.request_id, (extract(epoch from s.created_at) * 1000000)::bigint)::text`;

type PendingRow = {
  ctid: string;
  log: "merchant" | "support";
  environment_id: string | null;
  row_id: string;
  chain_id: string;
  /** Null if the row is gone, which the check then reports. */
  text: string | null;
};
type ChainEnd = { chain_id: string; seq: number; hash: Buffer };
/** `seal_number`: the newest seal at the time, whose MAC `mac` covers; 0 = none. */
export type NewLink = ChainEnd &
  Pick<PendingRow, "log" | "environment_id" | "row_id"> & { seal_number: number; mac: string };

/** Waits until only this transaction may add to the chains and their seals. */
export async function waitForChains(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${LOCK}::bigint)`;
}

/** The same without waiting: false if another transaction holds the lock. */
export async function lockChains(tx: Transaction): Promise<boolean> {
  const [row] = await tx<{ locked: boolean }[]>`select pg_try_advisory_xact_lock(${LOCK}::bigint) as locked`;
  return row?.locked ?? false;
}

/** Rows not chained yet. Index: primary keys of both logs. */
export async function listPendingAudit(tx: Transaction, limit: number): Promise<PendingRow[]> {
  return await tx<PendingRow[]>`
    select p.ctid::text, p.log, p.environment_id, p.row_id,
      coalesce(m.merchant_id, s.merchant_id, ${NO_MERCHANT}::uuid) as chain_id, coalesce(m.text, s.text) as text
    from (select ctid, log, environment_id, row_id from audit_pending limit ${limit}::int) p
    left join lateral (
      select (select e.merchant_id from environments e where e.id = p.environment_id) as merchant_id,
        ${tx.unsafe(MERCHANT_TEXT)} as text
      from audit_log a where p.log = 'merchant' and a.environment_id = p.environment_id and a.id = p.row_id limit 1) m on true
    left join lateral (
      select s.merchant_id, ${tx.unsafe(SUPPORT_TEXT)} as text
      from support_audit_log s where p.log = 'support' and s.id = p.row_id limit 1) s on true`;
}

/** The ends of these chains; a chain without links is absent. Index: primary key, backwards. */
export async function listChainEnds(tx: Transaction, chainIds: readonly string[]): Promise<ChainEnd[]> {
  return await tx<ChainEnd[]>`
    select c.chain_id, l.seq, l.hash
    from unnest(${[...chainIds]}::text[]::uuid[]) c(chain_id)
    cross join lateral (
      select seq, hash from audit_links where chain_id = c.chain_id order by seq desc limit 1) l`;
}

export async function insertLinks(tx: Transaction, links: readonly NewLink[]): Promise<void> {
  await tx`
    insert into audit_links (chain_id, seq, log, environment_id, row_id, hash, seal_number, mac)
    select chain_id, seq, log, environment_id, row_id, decode(hash, 'hex'), seal_number, mac
    from jsonb_to_recordset(${links.map((link) => ({ ...link, hash: link.hash.toString("hex") })) as never}::jsonb)
      as l(chain_id uuid, seq bigint, log text, environment_id uuid, row_id uuid, hash text, seal_number bigint, mac text)`;
}

export async function removePending(tx: Transaction, rowIds: readonly string[]): Promise<void> {
  await tx`delete from audit_pending where ctid = any(${[...rowIds]}::text[]::tid[])`;
}

type SealMark = { number: number; mac: string };

/** The newest of all seals; null without one. */
export async function findLastSeal(tx: Transaction): Promise<SealMark | null> {
  const [row] = await tx<SealMark[]>`
    select number, mac from audit_seals order by number desc limit 1`;
  return row ?? null;
}

const CHAINS = `(select id as chain_id from merchants union all select '${NO_MERCHANT}'::uuid)`;

type UnsealedEnd = ChainEnd & {
  day: string;
  /** Number of the last sealed link. */
  sealed_seq: number;
};

/** Chain ends as of the start of the day that no seal under this key covers yet. */
export async function listUnsealedEnds(tx: Transaction, keyId: string, limit: number): Promise<UnsealedEnd[]> {
  return await tx<UnsealedEnd[]>`
    select c.chain_id, l.seq, l.hash, ((now() at time zone 'UTC')::date - 1)::text as day,
      coalesce((select max(seq) from audit_seals where chain_id = c.chain_id), 0)::bigint as sealed_seq
    from ${tx.unsafe(CHAINS)} c
    cross join lateral (
      select seq, hash from audit_links
      where chain_id = c.chain_id and chained_at < date_trunc('day', now(), 'UTC') order by seq desc limit 1) l
    where not exists (
      select from audit_seals s where s.chain_id = c.chain_id and s.seq >= l.seq and s.key_id = ${keyId})
    limit ${limit}::int`;
}

export async function insertSeal(
  tx: Transaction,
  seal: UnsealedEnd & SealMark & { key_id: string; previous_mac: string },
): Promise<void> {
  await tx`
    insert into audit_seals (chain_id, seq, key_id, day, hash, mac, number, previous_mac)
    values (${seal.chain_id}::uuid, ${seal.seq}::bigint, ${seal.key_id}, ${seal.day}::date, ${seal.hash}::bytea, ${seal.mac},
      ${seal.number}::bigint, ${seal.previous_mac})`;
}

export type SealRow = SealMark & {
  chain_id: string;
  seq: number;
  key_id: string;
  day: string;
  hash: Buffer;
  previous_mac: string;
  /** Hash of the sealed link; null if the link is gone. */
  linked: Buffer | null;
};

/** All seals with the links they seal; only those of the given chains, if any are given. */
export async function listSeals(tx: Transaction, chainIds: readonly string[] | null = null): Promise<SealRow[]> {
  return await tx<SealRow[]>`
    select s.chain_id, s.seq, s.key_id, s.day::text as day, s.hash, s.mac, s.number, s.previous_mac, l.hash as linked
    from audit_seals s left join audit_links l on l.chain_id = s.chain_id and l.seq = s.seq
    where ${chainIds === null ? tx`true` : tx`s.chain_id = any(${[...chainIds]}::text[]::uuid[])`}
    order by s.chain_id, s.seq, s.number`;
}

/**
 * The last sealed link of each chain (0 = none), and the day of an unsealed link older than that, with one
 * hour of tolerance.
 */
export async function listSealedParts(
  tx: Transaction,
): Promise<{ chain_id: string; seq: number; overdue_day: string | null }[]> {
  return await tx`
    select l.chain_id, coalesce(s.seq, 0)::bigint as seq,
      (min(l.chained_at) filter (where l.seq > coalesce(s.seq, 0)
        and l.chained_at < date_trunc('day', now() - interval '1 hour', 'UTC')) at time zone 'UTC')::date::text as overdue_day
    from audit_links l
    left join (select chain_id, max(seq) as seq from audit_seals group by chain_id) s using (chain_id)
    group by l.chain_id, s.seq`;
}

export type ChainPart = { chain_id: string; after: number };
export type LinkRow = ChainEnd & {
  mac: string;
  seal_number: number;
  /** MAC of the seal with that number; null without one. */
  seal_mac: string | null;
  day: string;
};

/** The next links of each part, in order, up to `limit` each. Index: primary key. */
export async function listLinksAfter(tx: Transaction, parts: readonly ChainPart[], limit: number): Promise<LinkRow[]> {
  return await tx<LinkRow[]>`
    select l.*, s.mac as seal_mac
    from jsonb_to_recordset(${[...parts] as never}::jsonb) as p(chain_id uuid, after bigint)
    cross join lateral (
      select chain_id, seq, hash, mac, seal_number, (chained_at at time zone 'UTC')::date::text as day
      from audit_links where chain_id = p.chain_id and seq > p.after order by seq limit ${limit}::int) l
    left join audit_seals s on s.number = l.seal_number
    order by l.chain_id, l.seq`;
}

/** Rows are chained within seconds; this tolerates a service that was stopped or is behind. */
const GRACE = "interval '5 minutes'";

export const AUDIT_CHECKS: readonly BookCheck[] = [
  {
    check: "audit_rows_are_chained",
    evenAbandoned: true,
    proves: "Every row of the audit logs is in its merchant's chain, or has just been queued for it.",
    sql: `
      select r.environment_id, r.log, r.row_id, r.action, 'in no chain' as problem
      from (
        select environment_id, 'merchant' as log, id as row_id, action from audit_log
        union all
        select environment_id, 'support', id, action from support_audit_log
      ) r
      left join audit_links l on l.row_id = r.row_id and l.log = r.log
      left join audit_pending p on p.row_id = r.row_id and p.log = r.log and p.queued_at > now() - ${GRACE}
      where l.row_id is null and p.row_id is null`,
  },
  {
    check: "audit_chains_hold",
    evenAbandoned: true,
    proves: "No row of the audit logs was changed, removed or moved since it was chained.",
    sql: `
      select environment_id, chain_id, seq, log, row_id, case
          when seq <> previous_seq + 1 then 'links before this one are missing'
          when text is null then 'the row is missing'
          else 'the row, or one before it, was changed' end as problem
      from (
        select l.*,
          case l.log when 'merchant' then case when a.id is not null then ${MERCHANT_TEXT} end
            else case when s.id is not null then ${SUPPORT_TEXT} end end as text,
          lag(l.hash, 1, uuid_send(l.chain_id)) over chain as previous_hash,
          lag(l.seq, 1, 0::bigint) over chain as previous_seq
        from audit_links l
        left join audit_log a on l.log = 'merchant' and a.environment_id = l.environment_id and a.id = l.row_id
        left join support_audit_log s on l.log = 'support' and s.id = l.row_id
        window chain as (partition by l.chain_id order by l.seq)
      ) links
      where seq <> previous_seq + 1 or text is null
        or hash <> sha256(previous_hash || int8send(seq) || convert_to(text, 'UTF8'))`,
  },
];
