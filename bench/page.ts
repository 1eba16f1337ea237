import type { Database, Sql } from "@/db/client";
import { environments, users } from "@/db/schema/accounts";
import { sessionCookie } from "@/e2e/fixtures/users";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import { findSession, openSession } from "@/lib/domain/accounts/sessions";
import type { Environment } from "@/lib/domain/context";
import { searchTransactionTable } from "@/lib/domain/transactions/read-transactions";
import { newId } from "@/lib/ids";
import { quantile } from "./load";
import type { Recorder } from "./record";

export type PageResult = {
  /** The whole transaction page of the merchant with half of all rows, one request after another. */
  page_ms: number;
  page_p99_ms: number;
  /** Its SQL alone, on one connection. */
  sql_ms: number;
  /** The page's uncompressed HTML, in kB. */
  page_kb: number;
};

const PATH = "/test/transactions";

type PageOptions = {
  db: Database;
  recorder: Recorder;
  environment: Environment;
  baseUrl: string;
  requests: number;
};

/**
 * Alternates between the page and the SQL of its session and list (without saved views), because a machine's
 * speed varies over time.
 */
export async function measurePage(options: PageOptions): Promise<PageResult> {
  const { db, recorder, baseUrl, requests } = options;
  const { cookie, sessionId } = await signIn(options);
  const { statements } = await recorder.run(options.environment, async (ctx) => {
    await findSession(ctx.service, sessionId);
    await searchTransactionTable(ctx, searchTransactionsBody.parse({}));
  });
  const pageMs: number[] = [];
  const sqlMs: number[] = [];
  let bytes = 0;
  // The first third plans, compiles and warms up.
  const warmUp = Math.ceil(requests / 3);
  for (let turn = 0; turn < requests + warmUp; turn++) {
    const page = await time(async () => {
      bytes = await load(`${baseUrl}${PATH}`, cookie);
    });
    const sql = await time(() => replay(db.sql, statements));
    if (turn < warmUp) continue;
    pageMs.push(page);
    sqlMs.push(sql);
  }
  return {
    page_ms: rounded(quantile(pageMs, 0.5)),
    page_p99_ms: rounded(quantile(pageMs, 0.99)),
    sql_ms: rounded(quantile(sqlMs, 0.5)),
    page_kb: rounded(bytes / 1000),
  };
}

async function signIn({ db, recorder, environment, baseUrl }: PageOptions) {
  const { merchantId } = environment;
  const user = { id: newId(), role: "owner" as const };
  await db.orm.insert(environments).values({ id: newId(), merchant_id: merchantId, mode: "live" });
  await db.orm
    .insert(users)
    .values({ ...user, merchant_id: merchantId, email: "bench@shop.example", password_hash: "" });
  const sessionId = await openSession(db.orm, {
    user,
    hasSecondFactor: false,
    address: "127.0.0.1",
    userAgent: "bench",
  });
  const { name, value } = await sessionCookie({ ...recorder.service, baseUrl }, "merchant", sessionId);
  return { sessionId, cookie: `${name}=${value}` };
}

/** Loads the page like a browser and returns its size in bytes. Throws unless it contains the list. */
async function load(url: string, cookie: string): Promise<number> {
  const response = await fetch(url, { headers: { cookie, "accept-encoding": "identity" }, redirect: "manual" });
  const html = await response.text();
  if (response.status !== 200 || !html.includes("txn_")) throw new Error(`the page answered ${response.status}`);
  return Buffer.byteLength(html);
}

async function replay(
  sql: Sql,
  statements: readonly { text: string; parameters: readonly unknown[]; prepare: boolean }[],
): Promise<void> {
  for (const { text, parameters, prepare } of statements)
    await sql.unsafe(text, [...parameters] as never[], { prepare });
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const rounded = (value: number) => Number(value.toFixed(2));
