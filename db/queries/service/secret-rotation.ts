import { sql } from "drizzle-orm";
import type { Orm } from "@/db/client";

/** An encrypted text and its kind; `id` finds its row. */
type SealedText = {
  kind: "totp" | "webhook" | "link" | "connection" | "response";
  id: string;
  environment_id: string | null;
  sealed: string;
};

/**
 * Encrypted texts that do not start with `prefix`, up to `limit` of each kind. Scans whole tables; only for
 * a change of the secret.
 */
export async function listSealedOtherwise(orm: Orm, prefix: string, limit: number): Promise<SealedText[]> {
  const rows = await orm.execute<SealedText>(sql`
    (select 'totp' as kind, id::text, null::uuid as environment_id, totp_secret as sealed
      from users where totp_secret is not null and not starts_with(totp_secret, ${prefix}) order by id limit ${limit}::int)
    union all
    (select 'webhook', id::text, environment_id, sealed
      from webhook_secrets where not starts_with(sealed, ${prefix}) limit ${limit}::int)
    union all
    (select 'link', id::text, environment_id, session_token
      from payment_links where session_token is not null and not starts_with(session_token, ${prefix}) limit ${limit}::int)
    union all
    (select 'connection', id::text, environment_id, credentials
      from processor_connections where credentials is not null and not starts_with(credentials, ${prefix}) limit ${limit}::int)
    union all
    (select 'response', key, environment_id, response_body
      from idempotency_keys
      where response_sealed and response_body is not null and not starts_with(response_body, ${prefix})
        and created_at > now() - interval '25 hours'
      limit ${limit}::int)`);
  return [...rows];
}

/** Replaces an encrypted text with the same under another secret, unless it has changed since. */
export async function replaceSealed(orm: Orm, found: SealedText, sealed: string): Promise<void> {
  if (found.kind === "totp") {
    await orm.execute(
      sql`update users set totp_secret = ${sealed} where id = ${found.id}::uuid and totp_secret = ${found.sealed}`,
    );
    return;
  }
  if (found.kind === "webhook") {
    await orm.execute(sql`
      update webhook_secrets set sealed = ${sealed}
      where environment_id = ${found.environment_id}::uuid and id = ${found.id}::uuid and sealed = ${found.sealed}`);
    return;
  }
  if (found.kind === "link") {
    await orm.execute(sql`
      update payment_links set session_token = ${sealed}
      where environment_id = ${found.environment_id}::uuid and id = ${found.id}::uuid and session_token = ${found.sealed}`);
    return;
  }
  if (found.kind === "connection") {
    await orm.execute(sql`
      update processor_connections set credentials = ${sealed}
      where environment_id = ${found.environment_id}::uuid and id = ${found.id}::uuid and credentials = ${found.sealed}`);
    return;
  }
  await orm.execute(sql`
    update idempotency_keys set response_body = ${sealed}
    where environment_id = ${found.environment_id}::uuid and key = ${found.id} and response_body = ${found.sealed}`);
}

/**
 * Items that still need another secret than this one: digests of replayable idempotency keys, usable card
 * tokens, pending challenges, and audit chains whose last seal, or links after it, are not under the new one
 * (the next night seals them). Encrypted texts are re-encrypted, not counted.
 */
export async function countNeedingOtherSecrets(orm: Orm, id: string): Promise<number> {
  const [row] = await orm.execute<{ count: number }>(sql`
    select (select count(*) from idempotency_keys where created_at > now() - interval '25 hours'
        and encode(substring(request_digest from 1 for 4), 'hex') <> ${id})
      + (select count(*) from payment_tokens where processor_token <> '' and expires_at > now()
        and connection_id is null and not starts_with(processor_token, ${`sbx_s1.${id}.`}))
      + (select count(*) from payments where status = 'REQUIRES_ACTION' and next_action is not null and connection_id is null
        and position(${`.${id}`} in next_action::text) = 0)
      + (select count(*) from (select id from merchants union all select '00000000-0000-0000-0000-000000000000'::uuid) c
        left join lateral (select seq, key_id from audit_seals where chain_id = c.id
          order by seq desc, number desc limit 1) s on true
        left join audit_links l on l.chain_id = c.id and l.seq = coalesce(s.seq, 0) + 1
        where s.key_id <> ${id} or not starts_with(l.mac, ${id})) as count`);
  return Number(row?.count ?? 0);
}
