import { z } from "zod";
import { type Customer, listCustomersQuery } from "@/lib/contract/customers/customer";
import type { Dispute } from "@/lib/contract/disputes/dispute";
import { disputePageQuery } from "@/lib/contract/disputes/list";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { moneyTextWithCode, wordLabel } from "@/lib/contract/format";
import { DISPUTE_REASON_WORDS, DISPUTE_STATUS_WORDS } from "@/lib/contract/payments/words";
import type { Permission } from "@/lib/contract/permissions";
import type { ReportColumn, ReportRow } from "@/lib/contract/reports/report-types";
import type { BalanceMovement } from "@/lib/contract/settlement/balance";
import { listMovementsQuery, listPayoutsQuery, listSettlementBatchesQuery } from "@/lib/contract/settlement/endpoints";
import { PAYOUT_STATUSES, type Payout } from "@/lib/contract/settlement/payout";
import type { SettlementBatch } from "@/lib/contract/settlement/settlement-batch";
import { MOVEMENT_LABELS } from "@/lib/contract/settlement/statement";
import type { Context } from "@/lib/domain/context";
import { exportCustomers } from "@/lib/domain/customers/customers";
import { exportDisputes } from "@/lib/domain/disputes/dispute-pages";
import { exportMovements } from "@/lib/domain/settlement/balance";
import { exportPayouts } from "@/lib/domain/settlement/payouts";
import { exportSettlementBatches } from "@/lib/domain/settlement/read-batches";
import { listExportRoute } from "./list-export";
import { sheetColumns } from "./report-export";

type Opened<Item> = { total: number; batches: AsyncGenerator<Item[], void>; close(): Promise<void> };

type PageExport<Query extends object, Item> = {
  what: "payouts" | "settlement_batches" | "movements" | "customers" | "disputes";
  title: string;
  path: string;
  permission: Permission;
  /** The page's own query. */
  query: z.ZodType<Query>;
  /** Files are read by position: new columns go to the end. */
  columns: readonly ReportColumn[];
  row(item: Item): ReportRow;
  open(ctx: Context, query: Query): Promise<Opened<Item>>;
};

/** The route of a list's export, which takes the filters of the list's page. */
function pageExport<Query extends object, Item>(given: PageExport<Query, Item>) {
  const { what, title, path, permission, query, columns, row, open } = given;
  const endpoint = dashboardEndpoint({
    name: `export_${what}`,
    method: "GET",
    path: `/{mode}/${path}/export`,
    permission,
    status: 200,
    response: z.unknown(),
  });
  return (request: Request, mode: string): Promise<Response> =>
    listExportRoute<Query, ReportRow>(request, mode, {
      endpoint,
      what,
      title,
      columns: (style) => sheetColumns(columns, style),
      parse(params) {
        const parsed = query.safeParse(Object.fromEntries(params));
        if (parsed.success) return { query: parsed.data, problems: [] };
        const problems = parsed.error.issues.map(({ path: [param], message }) => ({ param: String(param), message }));
        // `refuseProblems` ends the request before the query is used.
        return { query: {} as Query, problems };
      },
      used: (used) => Object.keys(used),
      async open(ctx, search) {
        const opened = await open(ctx, search);
        return { ...opened, batches: rowsOf(opened.batches, row) };
      },
    });
}

async function* rowsOf<Item>(batches: AsyncIterable<Item[]>, row: (item: Item) => ReportRow) {
  for await (const items of batches) yield items.map(row);
}

const text = (name: string, heading: string, words?: Readonly<Record<string, string>>): ReportColumn => ({
  name,
  heading,
  kind: "text",
  ...(words && { words }),
});
const amount = (name: string, heading: string): ReportColumn => ({ name, heading, kind: "amount" });
const count = (name: string, heading: string): ReportColumn => ({ name, heading, kind: "count" });
const time = (name: string, heading: string): ReportColumn => ({ name, heading, kind: "time" });
const CURRENCY = text("currency", "Currency");
const CREATED = time("created_at", "Created");

const labels = <Code extends string>(codes: readonly Code[], label: (code: Code) => string) =>
  Object.fromEntries(codes.map((code) => [code, label(code)]));

export const payoutExportRoute = pageExport({
  what: "payouts",
  title: "Payouts",
  path: "payouts",
  permission: "balance.read",
  query: listPayoutsQuery,
  columns: [
    text("id", "Payout id"),
    text("status", "Status", labels(PAYOUT_STATUSES, wordLabel)),
    CURRENCY,
    amount("amount", "Amount"),
    { name: "arrival_date", heading: "Arrival", kind: "day" },
    text("bank_name", "Bank"),
    text("bank_last4", "Account (last 4)"),
    text("failure_reason", "Failure"),
    CREATED,
  ],
  row: ({ id, status, currency, amount, arrival_date, bank_account, failure_reason, created_at }: Payout) => ({
    ...{ id, status, currency, amount, arrival_date, failure_reason, created_at },
    bank_name: bank_account.bank_name,
    bank_last4: bank_account.last4,
  }),
  open: exportPayouts,
});

export const batchesExportRoute = pageExport({
  what: "settlement_batches",
  title: "Settlement batches",
  path: "settlement-batches",
  permission: "balance.read",
  query: listSettlementBatchesQuery,
  columns: [
    text("id", "Batch id"),
    CURRENCY,
    count("charge_count", "Charge count"),
    amount("charge_amount", "Charges"),
    count("refund_count", "Refund count"),
    amount("refund_amount", "Refunds"),
    count("reversal_count", "Reversal count"),
    amount("reversal_amount", "Reversals"),
    amount("fee_amount", "Fees"),
    amount("net_amount", "Net"),
    text("payout_id", "Payout id"),
    CREATED,
  ],
  row: ({ object: _, environment: __, ...batch }: SettlementBatch) => batch,
  open: exportSettlementBatches,
});

export const movementExportRoute = pageExport({
  what: "movements",
  title: "Movements",
  path: "balance",
  permission: "balance.read",
  query: listMovementsQuery,
  columns: [
    { ...time("created_at", "Booked"), name: "created_at" },
    text("type", "Type", MOVEMENT_LABELS),
    CURRENCY,
    amount("amount", "Amount"),
    text("transaction_id", "Transaction id"),
    text("settlement_batch_id", "Batch id"),
    text("payout_id", "Payout id"),
    text("id", "Movement id"),
    text("dispute_id", "Dispute id"),
  ],
  row: ({ object: _, ...movement }: BalanceMovement) => movement,
  open: exportMovements,
});

export const customerExportRoute = pageExport({
  what: "customers",
  title: "Customers",
  path: "customers",
  permission: "transaction.search",
  query: listCustomersQuery,
  columns: [
    text("id", "Customer"),
    text("customer_id", "Your customer id"),
    text("name", "Name"),
    text("email", "E-mail"),
    count("payments", "Payments"),
    count("declined", "Declined"),
    CURRENCY,
    amount("captured", "Captured"),
    amount("refunded", "Refunded"),
    amount("net", "Net"),
    amount("disputed", "Disputed"),
    text("other_currencies", "Net in other currencies"),
    time("first_payment_at", "First payment"),
    time("last_payment_at", "Last payment"),
  ],
  row(customer: Customer) {
    const { id, customer_id, name, email, payments, declined, first_payment_at, last_payment_at } = customer;
    // One row per customer: amounts of the currency most captured, which comes first.
    const [main, ...others] = customer.currencies;
    return {
      ...{ id, customer_id, name, email, payments, declined, first_payment_at, last_payment_at },
      currency: main?.currency ?? "",
      captured: main?.captured ?? null,
      refunded: main?.refunded ?? null,
      net: main?.net ?? null,
      disputed: main?.disputed ?? null,
      other_currencies: others.map(({ currency, net }) => moneyTextWithCode(net, currency)).join(", ") || null,
    };
  },
  open: exportCustomers,
});

export const disputeExportRoute = pageExport({
  what: "disputes",
  title: "Disputes",
  path: "disputes",
  permission: "dispute.read",
  query: disputePageQuery,
  columns: [
    text("id", "Dispute id"),
    text(
      "status",
      "Status",
      Object.fromEntries(Object.entries(DISPUTE_STATUS_WORDS).map(([code, { title }]) => [code, title])),
    ),
    text("reason", "Reason", DISPUTE_REASON_WORDS),
    CURRENCY,
    amount("amount", "Amount"),
    amount("fee", "Processor’s fee"),
    time("respond_by", "Respond by"),
    text("payment_id", "Payment id"),
    text("transaction_id", "Transaction id"),
    text("customer_id", "Customer id"),
    text("network_reason_code", "Network’s reason code"),
    text("processor_id", "Processor’s id"),
    CREATED,
  ],
  row: ({ object, environment, dashboard_url, evidence, available_actions, pending_action, ...dispute }: Dispute) =>
    dispute,
  open: exportDisputes,
});
