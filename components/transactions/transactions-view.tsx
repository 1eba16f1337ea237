"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { ColumnPicker } from "@/components/data-table/column-picker";
import { PageHeader } from "@/components/ui/page-header";
import { toast } from "@/components/ui/toast";
import { useDashboard } from "@/lib/client/dashboard-context";
import { rangeText } from "@/lib/client/range-text";
import { useTimeZone } from "@/lib/client/time-display";
import { filterChips } from "@/lib/client/transaction-chips";
import { type ColumnName, columnMembers, TRANSACTION_COLUMNS } from "@/lib/client/transaction-columns";
import { NO_FILTERS, type TransactionQuery } from "@/lib/client/transaction-query";
import type { ListedTransaction } from "@/lib/contract/transaction";
import { ExportButton } from "./export-button";
import { FilterBar } from "./filter-bar";
import { FilterChips } from "./filter-chips";
import { OutageNotice, ProblemNotice } from "./list-notices";
import { ListStatus, useAnnouncement } from "./list-status";
import { SearchBox } from "./search-box";
import { sortText } from "./sort-text";
import { TransactionList } from "./transaction-list";
import { useColumns } from "./use-columns";
import { useSavedViews } from "./use-saved-views";
import { MAX_SELECTED, type Selection, useSelection } from "./use-selection";
import { useTableKeys } from "./use-table-keys";
import { type InitialList, useTransactionList } from "./use-transaction-list";
import { useTransactionsUrl } from "./use-transactions-url";
import { ViewTabs } from "./view-tabs";

const PaymentPanel = dynamic(
  () => import("@/components/payments/payment-panel").then((module) => module.PaymentPanel),
  { ssr: false },
);

const BulkRefundBar = dynamic(() => import("@/components/money/bulk-refund").then((module) => module.BulkRefundBar), {
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

/** Finds and shows transactions. What is asked for stands in the address, and only there. */
export function TransactionsView({ initial, columns: ownColumns, apiUrl }: TransactionsViewProps) {
  const { mode, merchant } = useDashboard();
  const { timeZone } = merchant;
  const router = useRouter();
  const zone = useTimeZone();
  const url = useTransactionsUrl();
  const { query, key, panel } = url;
  const table = useRef<HTMLTableElement>(null);
  const { search, setText, change } = useSearchText(url.change);
  const [pointing, setPointing] = useState({ pointer: false, focus: false });
  const [message, setMessage] = useState("");
  const selection = useSelection();
  const hold = pointing.pointer || pointing.focus || selection.size > 0 || panel !== null;
  const live = useTransactionList({ query, key, initial, hold });
  const { list, rows, isStale } = live;
  const saved = useSavedViews();
  const view = saved.views.find((some) => some.id === url.view) ?? null;
  const { columns, changedInView, setColumns, resetColumns } = useColumns(ownColumns, view);

  const open = (paymentId: string) => {
    if (window.matchMedia(WIDE).matches) url.openPanel(paymentId);
    else router.push(`/${mode}/payments/${paymentId}`);
  };
  const close = () => {
    table.current?.querySelector<HTMLElement>(`tr[data-payment="${CSS.escape(panel ?? "")}"] a[data-row]`)?.focus();
    url.closePanel();
  };
  const toPage = (page: number) => {
    url.change({ page });
    window.scrollTo({ top: 0 });
  };
  const toggle = (row: ListedTransaction) => {
    const { [row.id]: isSelected, ...others } = selection.ids;
    selection.set(isSelected ? others : { ...others, [row.id]: true }, rows);
  };
  useTableKeys({
    ...{ table, rows, openPayment: panel, onOpen: open, onClose: close },
    ...{ onToggle: toggle, onMessage: setMessage },
  });

  const { page, perPage, sort } = query;
  const total = list?.total ?? null;
  const capped = list?.total_capped ?? false;
  const range = total === null ? null : rangeText({ page, perPage, count: rows.length, total, capped });
  const announcement = useAnnouncement(key, isStale ? null : `${range}, ${sortText(sort)}`);

  return (
    <>
      <PageHeader
        title="Transactions"
        actions={
          <ExportButton
            filters={key}
            columns={columnMembers(columns)}
            total={isStale ? null : total}
            totalCapped={capped}
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
            onText={setText}
            onFilters={url.change}
            onJump={(id) => router.push(`/${mode}/${id.startsWith("pay_") ? "payments" : "transactions"}/${id}`)}
          />
          <FilterBar query={query} timeZone={timeZone} onChange={change} />
          <ColumnPicker all={TRANSACTION_COLUMNS} visible={columns} onChange={setColumns} onReset={resetColumns} />
        </div>
        <ProblemNotice problems={url.problems} onRemove={() => change({}, { replace: true })} />
        <FilterChips filters={query} timeZone={timeZone} onChange={change} />
        {live.error && list && (
          <OutageNotice error={live.error} stale={isStale} retrying={live.isFetching} onRetry={() => live.refetch()} />
        )}
      </div>
      <ListStatus
        range={range}
        waiting={live.waiting.changed && rows.length > 0 && !isStale ? live.waiting : null}
        onShowWaiting={live.showWaiting}
        message={message || announcement}
      />
      <TransactionList
        tableRef={table}
        {...{ live, query, columns, selection, mode, zone, apiUrl }}
        filters={filterChips(query, timeZone).map((chip) => chip.label)}
        openPayment={panel}
        onOpen={open}
        onCopy={(button) => copyId(button, setMessage)}
        onPointing={(what, on) => setPointing((now) => (now[what] === on ? now : { ...now, [what]: on }))}
        onSort={(next) => url.change({ sort: next as TransactionQuery["sort"] })}
        onPage={toPage}
        onPerPage={(size) => url.change({ perPage: size })}
        onClear={() => change({ ...NO_FILTERS })}
      />
      {selection.size > 0 && (
        <BulkRefundBar
          selection={selection.of(rows)}
          onDone={selection.clear}
          note={selectionNote(rows.length, selection)}
        />
      )}
      {panel !== null && <PaymentPanel paymentId={panel} mode={mode} onClose={close} />}
    </>
  );
}

type Change = ReturnType<typeof useTransactionsUrl>["change"];

/** What is typed and not yet a chip. Every change of the filters by other means, going back included, empties the box. */
function useSearchText(changeUrl: Change) {
  const [search, setSearch] = useState({ text: "", epoch: 0 });
  const empty = () => setSearch(({ epoch }) => ({ text: "", epoch: epoch + 1 }));
  const onBack = useEffectEvent(empty);
  useEffect(() => {
    const listen = () => onBack();
    window.addEventListener("popstate", listen);
    return () => window.removeEventListener("popstate", listen);
  }, []);
  const change: Change = (patch, options) => {
    empty();
    changeUrl(patch, options);
  };
  return { search, change, setText: (text: string) => setSearch(({ epoch }) => ({ text, epoch })) };
}

/** What "all" means: never more than one sees. */
function selectionNote(shown: number, { limited }: Selection): string {
  if (limited) return `No more than ${MAX_SELECTED} can be selected at once.`;
  return `“All” selects this page’s ${shown}. The selection stays when you turn the page, up to ${MAX_SELECTED}.`;
}

const COPIED_MS = 1_500;

/** The button itself shows that it is done; there are too many of them to hold state. */
function copyId(button: HTMLElement, say: (message: string) => void): void {
  const id = button.dataset.copy ?? "";
  navigator.clipboard.writeText(id).then(
    () => {
      button.dataset.copied = "";
      setTimeout(() => delete button.dataset.copied, COPIED_MS);
      say(`Copied ${id}`);
    },
    () => toast.error("The browser did not allow copying.", { description: id }),
  );
}
