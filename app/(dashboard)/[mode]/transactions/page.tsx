import type { Metadata } from "next";
import { cookies } from "next/headers";
import { TransactionsView } from "@/components/transactions/transactions-view";
import { NoPermission } from "@/components/ui/empty-state";
import { isSecure } from "@/lib/auth/session-cookie";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import { columnsCookie, knownColumns } from "@/lib/contract/transactions/columns";
import { formatQuery, parseQuery, searchBody } from "@/lib/contract/transactions/query";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import { environmentNow } from "@/lib/domain/context";
import { listOwnCurrencies } from "@/lib/domain/reporting/overview";
import { searchTransactionTable } from "@/lib/domain/transactions/read-transactions";
import { addressParams, type DashboardPage, dashboardPage, type SearchParams } from "@/lib/http/page";

export const metadata: Metadata = { title: "Payments" };

type TransactionsPageProps = { params: Promise<{ mode: string }>; searchParams: Promise<SearchParams> };

export default async function TransactionsPage({ params, searchParams }: TransactionsPageProps) {
  const page = await dashboardPage((await params).mode);
  if (!page.can("transaction.search")) return <NoPermission what="payments" />;
  const [initial, currencies, jar] = await Promise.all([
    firstList(page, await searchParams),
    listOwnCurrencies(page.ctx),
    cookies(),
  ]);
  const { baseUrl } = page.ctx.service;
  const columns = jar.get(columnsCookie(encodeId("user", page.user.userId), isSecure(baseUrl)))?.value;
  return <TransactionsView {...{ initial, currencies }} columns={knownColumns(columns?.split("."))} apiUrl={baseUrl} />;
}

/**
 * The page that the address requests; null if the API would refuse it, in which case the browser shows why.
 */
async function firstList(page: DashboardPage, searchParams: SearchParams) {
  const { query } = parseQuery(addressParams(searchParams).filter(([name]) => name !== "panel" && name !== "view"));
  const at = Date.now();
  const body = searchTransactionsBody.safeParse(
    searchBody(query, page.merchant.timeZone, environmentNow(page.ctx).getTime()),
  );
  if (!body.success) return null;
  try {
    return { key: formatQuery(query), listJson: JSON.stringify(await searchTransactionTable(page.ctx, body.data)), at };
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_parameter") return null;
    throw error;
  }
}
