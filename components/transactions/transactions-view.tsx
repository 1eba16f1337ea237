"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { ColumnPicker } from "@/components/data-table/column-picker";
import { Pager } from "@/components/data-table/pager";
import { BulkRefundBar } from "@/components/money/bulk-refund";
import { PageHeader } from "@/components/ui/page-header";
import { TableSkeleton } from "@/components/ui/skeleton";
import { useDashboard } from "@/lib/client/dashboard-context";
import { rangeText } from "@/lib/client/range-text";
import { useTimeZone } from "@/lib/client/time-display";
import { filterChips } from "@/lib/client/transaction-chips";
import { type ColumnName, columnMembers, TRANSACTION_COLUMNS } from "@/lib/client/transaction-columns";
import { NO_FILTERS, PER_PAGE, type TransactionQuery } from "@/lib/client/transaction-query";
import type { Transaction } from "@/lib/contract/transaction";
import type { SortField } from "@/lib/contract/transaction-words";
import { EmptyList } from "./empty-list";
import { ExportButton } from "./export-button";
import { FilterBar } from "./filter-bar";
import { FilterChips } from "./filter-chips";
import { OutageNotice, ProblemNotice } from "./list-notices";
import { SearchBox } from "./search-box";
import { TransactionTable } from "./transaction-table";
import { useColumns } from "./use-columns";
import { useSavedViews } from "./use-saved-views";
import { MAX_SELECTED, useSelection } from "./use-selection";
import { useTableKeys } from "./use-table-keys";
import { type InitialList, useTransactionList } from "./use-transaction-list";
import { useTransactionsUrl } from "./use-transactions-url";
import { ViewTabs } from "./view-tabs";

const PaymentPanel = dynamic(() => import("@/components/payments/payment-panel").then((module) => module.PaymentPanel), {
  ssr: false,
});

/** From this width on a payment opens beside the list. */
const WIDE = "(width >= 48rem)";

type TransactionsViewProps = {
  initial: InitialList | null;
  columns: readonly ColumnName[] | null;
  /** Public address of the API, for the first curl. */
  apiUrl: string;
};

export function TransactionsView({ initial, columns: ownColumns, apiUrl }: TransactionsViewProps) {
  const { mode, merchant } = useDashboard();
  return null;
}
