"use client";

import { ArrowUp } from "lucide-react";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { ColumnPicker } from "@/components/data-table/column-picker";
import { Pager } from "@/components/data-table/pager";
import { BulkRefundBar } from "@/components/money/bulk-refund";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { TableSkeleton } from "@/components/ui/skeleton";
import { toast } from "@/components/ui/toast";
import { ApiError } from "@/lib/client/api";
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
import { MAX_SELECTED, type Selection, useSelection } from "./use-selection";
import { useTableKeys } from "./use-table-keys";
import { type InitialList, useTransactionList } from "./use-transaction-list";
import { useTransactionsUrl } from "./use-transactions-url";
import { ViewTabs } from "./view-tabs";

const PaymentPanel = dynamic(
  () => import("@/components/payments/payment-panel").then((module) => module.PaymentPanel),
  {
    ssr: false,
  },
);

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
  const { timeZone } = merchant;
  const router = useRouter();
  const zone = useTimeZone();
  const url = useTransactionsUrl();
  const { query, key, panel, problems } = url;
  const table = useRef<HTMLTableElement>(null);
  const [search, setSearch] = useState({ text: "", epoch: 0 });
  const [pointing, setPointing] = useState({ pointer: false, focus: false });
  const [message, setMessage] = useState("");
  const selection = useSelection();
  const hold = pointing.pointer || pointing.focus || selection.size > 0 || panel !== null;
  const list = useTransactionList({ query, key, initial, hold });
  const { rows, waiting, isStale } = list;
  const saved = useSavedViews();
  const view = saved.views.find((some) => some.id === url.view) ?? null;
  const { columns, changedInView, setColumns, resetColumns } = useColumns(ownColumns, view);
  const chips = filterChips(query, timeZone);

  const emptySearch = () => setSearch(({ epoch }) => ({ text: "", epoch: epoch + 1 }));
  const change: typeof url.change = (patch, options) => {
    emptySearch();
    url.change(patch, options);
  };
  useBackButton(emptySearch);
  const open = (paymentId: string) => {
    if (window.matchMedia(WIDE).matches) url.openPanel(paymentId);
    else router.push(`/${mode}/payments/${paymentId}`);
  };
  const toPage = (page: number) => {
    url.change({ page });
    window.scrollTo({ top: 0 });
  };
  const toggle = (row: Transaction) => {
    const { [row.id]: isSelected, ...others } = selection.ids;
    selection.set(isSelected ? others : { ...others, [row.id]: true }, rows);
  };
  useTableKeys({
    ...{ table, rows, openPayment: panel, onOpen: open, onClose: url.closePanel },
    ...{ onToggle: toggle, onMessage: setMessage },
  });

  const total = list.list ? { total: list.list.total, capped: list.list.total_capped } : null;
  const range = total && rangeText({ page: query.page, perPage: query.perPage, count: rows.length, ...total });
  const announcement = useAnnouncement(key, isStale ? null : `${range}, ${sortText(query.sort)}`);

  return (
    <>
      <PageHeader
        title="Transactions"
        actions={
          <ExportButton
            filters={key}
            columns={columnMembers(columns)}
            total={total?.total ?? null}
            totalCapped={total?.capped ?? false}
          />
        }
      />
      <ViewTabs
        {...{ mode, query, saved, columns, columnsChanged: changedInView }}
        active={view}
        onView={(next, id) => change(next, { view: id })}
      />
      <div className="flex flex-col gap-3 pt-3 print:pt-0">
        <div className="flex flex-wrap items-start gap-2 print:hidden">
          <SearchBox
            {...search}
            query={query}
            onText={(text) => setSearch(({ epoch }) => ({ text, epoch }))}
            onFilters={url.change}
            onJump={(id) => router.push(`/${mode}/${id.startsWith("pay_") ? "payments" : "transactions"}/${id}`)}
          />
          <FilterBar query={query} timeZone={timeZone} onChange={change} />
          <ColumnPicker all={TRANSACTION_COLUMNS} visible={columns} onChange={setColumns} onReset={resetColumns} />
        </div>
        <ProblemNotice problems={problems} onRemove={() => change({}, { replace: true })} />
        <FilterChips filters={query} timeZone={timeZone} onChange={change} />
        {list.error && list.list && (
          <OutageNotice error={list.error} stale={isStale} retrying={list.isFetching} onRetry={() => list.refetch()} />
        )}
      </div>
      <div className="flex h-9 items-center gap-3 text-[13px] text-soft tabular-nums print:hidden">
        <p aria-hidden="true">{range}</p>
        <p role="status" className="ml-auto">
          {waiting.changed && rows.length > 0 && !isStale && (
            <Button
              size="sm"
              variant="ghost"
              className="text-accent"
              icon={<ArrowUp aria-hidden="true" />}
              onClick={list.showWaiting}
            >
              {waitingText(waiting.added)}
            </Button>
          )}
        </p>
      </div>
      <p role="status" className="sr-only">
        {message || announcement}
      </p>
      {list.list === undefined ? (
        <FirstAnswer error={list.error} retrying={list.isFetching} onRetry={() => list.refetch()} />
      ) : rows.length === 0 && !isStale ? (
        <EmptyList
          {...{ mode, apiUrl, total: list.list.total }}
          filters={chips.map((chip) => chip.label)}
          lastPage={Math.max(1, Math.ceil(list.list.total / query.perPage))}
          onClear={() => change({ ...NO_FILTERS })}
          onPage={toPage}
        />
      ) : (
        <TransactionTable
          ref={table}
          {...{ rows, columns, selection, mode, zone }}
          fresh={list.fresh}
          stale={isStale}
          sort={query.sort}
          onSort={(sort) => url.change({ sort: sort as TransactionQuery["sort"] })}
          openPayment={panel}
          onOpen={open}
          onCopy={(id) => copyId(id, setMessage)}
          onPointing={(what, on) => setPointing((now) => (now[what] === on ? now : { ...now, [what]: on }))}
          caption={`Transactions, ${sortText(query.sort)}`}
        />
      )}
      {list.list !== undefined && rows.length > 0 && (
        <Pager
          page={query.page}
          perPage={query.perPage}
          sizes={PER_PAGE}
          count={rows.length}
          total={list.list.total}
          capped={list.list.total_capped}
          hasMore={list.list.has_more || list.list.data.length > query.perPage}
          onPage={toPage}
          onPerPage={(perPage) => url.change({ perPage })}
        />
      )}
      <BulkRefundBar
        selection={selection.of(rows)}
        onDone={selection.clear}
        note={selectionNote(rows.length, selection)}
      />
      {panel !== null && <PaymentPanel paymentId={panel} mode={mode} onClose={url.closePanel} />}
    </>
  );
}

const SORT_WORDS: Record<SortField, Record<"asc" | "desc", string>> = {
  created_at: { desc: "newest first", asc: "oldest first" },
  amount: { desc: "largest amount first", asc: "smallest amount first" },
  status: { desc: "by status, reversed", asc: "by status" },
};
const sortText = ({ field, order }: TransactionQuery["sort"]) => SORT_WORDS[field][order];

function waitingText(added: number): string {
  if (added === 0) return "Update the list";
  return added === 1 ? "1 new transaction" : `${added} new transactions`;
}

/** What "all" means: never more than one sees. */
function selectionNote(shown: number, { limited }: Selection): string {
  if (limited) return `No more than ${MAX_SELECTED} can be selected at once.`;
  return `“All” selects this page’s ${shown}. The selection stays when you turn the page, up to ${MAX_SELECTED}.`;
}

/** Going back or forward is no typing: the search box empties. */
function useBackButton(onBack: () => void): void {
  const listener = useEffectEvent(onBack);
  useEffect(() => {
    const listen = () => listener();
    window.addEventListener("popstate", listen);
    return () => window.removeEventListener("popstate", listen);
  }, []);
}

/** What is read aloud: once for each question, however often its answer changes afterwards. */
function useAnnouncement(key: string, text: string | null): string {
  const [announced, setAnnounced] = useState({ key, text: "" });
  if (text === null || announced.key === key) return announced.text;
  setAnnounced({ key, text });
  return text;
}

function copyId(id: string, say: (message: string) => void): void {
  navigator.clipboard.writeText(id).then(
    () => {
      say(`Copied ${id}`);
      toast.success("Copied", { description: id });
    },
    () => toast.error("The browser did not allow copying."),
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
