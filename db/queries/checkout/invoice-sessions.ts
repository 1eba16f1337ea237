import { and, desc, eq, gt, lt, sql } from "drizzle-orm";
import type { Orm } from "@/db/client";
import { clientSessions } from "@/db/schema/checkout";
import { MAX_SESSION_ATTEMPTS } from "@/lib/contract/checkout/attempts";

/**
 * The newest open session that pays the invoice, returns there and accepts attempts until then; null without
 * one. Index: `client_sessions_invoice`.
 */
export async function findInvoiceSession(
  tx: Orm,
  environmentId: string,
  { invoiceId, returnUrl, until }: { invoiceId: string; returnUrl: string | null; until: string },
): Promise<{ id: string; token_sha256: Buffer } | null> {
  const rows = await tx
    .select({ id: clientSessions.id, token_sha256: clientSessions.token_sha256 })
    .from(clientSessions)
    .where(
      and(
        eq(clientSessions.environment_id, environmentId),
        eq(clientSessions.invoice_id, invoiceId),
        eq(clientSessions.status, "OPEN"),
        sql`${clientSessions.return_url} is not distinct from ${returnUrl}::text`,
        gt(clientSessions.expires_at, until),
        lt(clientSessions.attempts, MAX_SESSION_ATTEMPTS),
      ),
    )
    .orderBy(desc(clientSessions.id))
    .limit(1);
  return rows[0] ?? null;
}

/** Number of these payments that customers made in forms since then. By primary key. */
export async function countFormPayments(
  tx: Orm,
  environmentId: string,
  { ids, since }: { ids: readonly string[]; since: string },
): Promise<number> {
  const [row] = await tx.execute<{ count: number }>(sql`
    select count(*)::int as count from payments
    where environment_id = ${environmentId}::uuid and id = any(${`{${ids.join(",")}}`}::uuid[])
      and initiator is null and created_at > ${since}::timestamptz`);
  return row?.count ?? 0;
}
