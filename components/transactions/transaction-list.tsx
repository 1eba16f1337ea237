"use client";

import { ArrowUp } from "lucide-react";
import dynamic from "next/dynamic";
import { type RefObject, useState } from "react";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { CopyId } from "@/components/ui/copy";
import { Pager, type SortState } from "@/components/ui/data-table";
import { ErrorState } from "@/components/ui/error-state";
import { missingPart } from "@/components/ui/missing-part";
import { TableSkeleton } from "@/components/ui/skeleton";
import { ZoneNote } from "@/components/ui/time";
import { ApiError } from "@/lib/client/api";
import type { ColumnName } from "@/lib/contract/transactions/columns";
import type { TransactionFilters } from "@/lib/contract/transactions/filters";
import { PER_PAGE, type PerPage, type TransactionQuery } from "@/lib/contract/transactions/query";
import type { Mode, SortField } from "@/lib/contract/transactions/words";
import { TransactionTable } from "./transaction-table";
import type { Selection, useTransactionList } from "./use-transactions";

// Loaded separately, to keep it out of the list's first load.
const TransactionSums = dynamic(
  () => import("./transaction-sums").then((module) => module.TransactionSums, missingPart),
  {
    ssr: false,
    loading: () => <div className="h-16" />,
  },
);
const EmptyList = dynamic(() => import("./empty-list").then((module) => module.EmptyList, missingPart));

type TransactionListProps = {
  tableRef: RefObject<HTMLTableElement | null>;
  live: ReturnType<typeof useTransactionList>;
  query: TransactionQuery;
  columns: readonly ColumnName[];
  selection: Selection;
  /** Active filters as text. */
  filters: readonly string[];
  mode: Mode;
  zone: string;
  apiUrl: string;
  openPayment: string | null;
  onOpen: (paymentId: string) => void;
  /** Called when a copy button is pressed. */
  onCopy: (button: HTMLElement) => void;
  onPointing: (what: "pointer" | "focus", on: boolean) => void;
  onSort: (sort: SortState) => void;
  onPage: (page: number) => void;
  onPerPage: (perPage: PerPage) => void;
  onClear: () => void;
  onFilters: (filters: TransactionFilters) => void;
};

/** The rows and their pages, or the reason why there are none. */
export function TransactionList(props: TransactionListProps) {
  const { live, query, onPage } = props;
  const { list, rows, isStale } = live;
  if (list === undefined) {
    return <FirstLoad error={live.error} retrying={live.isFetching} onRetry={() => live.refetch()} />;
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
      <TransactionSums mode={props.mode} query={query} rows={rows} selected={props.selection.of(rows)} />
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

type FirstLoadProps = { error: Error | null; retrying: boolean; onRetry: () => void };

/** Before the first response: loading, or the error. */
function FirstLoad({ error, retrying, onRetry }: FirstLoadProps) {
  if (!error) return <TableSkeleton rows={12} />;
  const refused = error instanceof ApiError;
  return (
    <ErrorState
      detail={refused ? error.detail : "No response arrived. Check your connection."}
      requestId={refused ? error.requestId : null}
      retrying={retrying}
      onRetry={onRetry}
    />
  );
}

type OutageNoticeProps = { error: Error; stale: boolean; retrying: boolean; onRetry: () => void };

/** A refresh failed: the old rows stay and are marked as stale. */
export function OutageNotice({ error, stale, retrying, onRetry }: OutageNoticeProps) {
  const refused = error instanceof ApiError;
  return (
    <Banner
      tone="red"
      role="alert"
      title={stale ? "These filters could not be loaded" : "This list could not be updated"}
      actions={
        <Button size="sm" pending={retrying} onClick={onRetry}>
          Try again
        </Button>
      }
    >
      <p>
        {refused ? error.detail : "No response arrived. Check your connection."}{" "}
        {stale ? "The rows below match the previous filters." : "The rows below may be out of date."}
      </p>
      {refused && error.requestId && (
        <p className="flex items-center gap-1.5 text-soft text-xs">
          Request <CopyId id={error.requestId} label="Copy request id" className="text-ink" />
        </p>
      )}
    </Banner>
  );
}

type ListStatusProps = {
  /** "1–20 of 240"; null before the first response. */
  range: string | null;
  /** New rows that aren't shown yet, or null. */
  waiting: { added: number } | null;
  onShowWaiting: () => void;
  /** Announced to screen readers. */
  message: string;
};

/** Line above the rows. It offers new rows, which are inserted only on request, so that nothing moves. */
export function ListStatus({ range, waiting, onShowWaiting, message }: ListStatusProps) {
  return (
    <div className="flex h-9 items-center gap-3 text-[13px] text-soft tabular-nums print:hidden">
      <p aria-hidden="true">{range}</p>
      <ZoneNote className="text-xs max-sm:hidden" />
      <output className="sr-only">{message}</output>
      <output className="ml-auto">
        {waiting && (
          <Button
            size="sm"
            variant="ghost"
            className="text-accent"
            icon={<ArrowUp aria-hidden="true" />}
            onClick={onShowWaiting}
          >
            {waitingText(waiting.added)}
          </Button>
        )}
      </output>
    </div>
  );
}

function waitingText(added: number): string {
  if (added === 0) return "Update the list";
  return added === 1 ? "1 new transaction" : `${added} new transactions`;
}

/** Announcement for a list: once per query, however often its result changes afterwards. */
export function useAnnouncement(key: string, text: string | null): string {
  const [announced, setAnnounced] = useState({ key, text: "" });
  if (text === null || announced.key === key) return announced.text;
  setAnnounced({ key, text });
  return text;
}

const WORDS: Record<SortField, Record<"asc" | "desc", string>> = {
  created_at: { desc: "newest first", asc: "oldest first" },
  amount: { desc: "by currency, largest amount first", asc: "by currency, smallest amount first" },
  status: { desc: "by status, reversed", asc: "by status" },
};

export const sortText = ({ field, order }: TransactionQuery["sort"]): string => WORDS[field][order];
