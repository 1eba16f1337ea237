"use client";

import type { RefObject } from "react";
import { Pager } from "@/components/data-table/pager";
import type { SortState } from "@/components/data-table/sort-header";
import { ErrorState } from "@/components/ui/error-state";
import { TableSkeleton } from "@/components/ui/skeleton";
import { ApiError } from "@/lib/client/api";
import type { ColumnName } from "@/lib/client/transaction-columns";
import { PER_PAGE, type PerPage, type TransactionQuery } from "@/lib/client/transaction-query";
import type { Mode } from "@/lib/contract/transaction-words";
import { EmptyList } from "./empty-list";
import { sortText } from "./sort-text";
import { TransactionTable } from "./transaction-table";
import type { Selection } from "./use-selection";
import type { useTransactionList } from "./use-transaction-list";

export type TransactionListProps = {
  tableRef: RefObject<HTMLTableElement | null>;
  live: ReturnType<typeof useTransactionList>;
  query: TransactionQuery;
  columns: readonly ColumnName[];
  selection: Selection;
  /** The filters in words. */
  filters: readonly string[];
  mode: Mode;
  zone: string;
  apiUrl: string;
  openPayment: string | null;
  onOpen: (paymentId: string) => void;
  /** A copy button was pressed. */
  onCopy: (button: HTMLElement) => void;
  onPointing: (what: "pointer" | "focus", on: boolean) => void;
  onSort: (sort: SortState) => void;
  onPage: (page: number) => void;
  onPerPage: (perPage: PerPage) => void;
  onClear: () => void;
};

/** The rows with their pages, or why there are none. */
export function TransactionList(props: TransactionListProps) {
  const { live, query, onPage } = props;
  const { list, rows, isStale } = live;
  if (list === undefined) {
    return <FirstAnswer error={live.error} retrying={live.isFetching} onRetry={() => live.refetch()} />;
  }
  if (rows.length === 0 && !isStale) {
    const lastPage = Math.max(1, Math.ceil(list.total / query.perPage));
    return <EmptyList {...props} total={list.total} lastPage={lastPage} />;
  }
  return (
    <>
      <TransactionTable
        {...props}
        rows={rows}
        fresh={live.fresh}
        stale={isStale}
        sort={query.sort}
        caption={`Transactions, ${sortText(query.sort)}`}
      />
      <Pager
        page={query.page}
        perPage={query.perPage}
        sizes={PER_PAGE}
        count={rows.length}
        total={list.total}
        capped={list.total_capped}
        hasMore={list.has_more || list.data.length > query.perPage}
        onPage={onPage}
        onPerPage={props.onPerPage}
      />
    </>
  );
}

type FirstAnswerProps = { error: Error | null; retrying: boolean; onRetry: () => void };

/** Before there is any answer: what is being waited for, or why it did not come. */
function FirstAnswer({ error, retrying, onRetry }: FirstAnswerProps) {
  if (!error) return <TableSkeleton rows={12} columns={6} />;
  const refused = error instanceof ApiError;
  return (
    <ErrorState
      detail={refused ? error.detail : "No answer came. Check your connection."}
      requestId={refused ? error.requestId : null}
      retrying={retrying}
      onRetry={onRetry}
    />
  );
}
