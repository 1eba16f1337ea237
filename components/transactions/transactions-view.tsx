"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { ExportButton } from "@/components/reporting/export-button";
import { useSingleKeys } from "@/components/shell/single-keys";
import { ColumnPicker } from "@/components/ui/data-table";
import { missingPart } from "@/components/ui/missing-part";
import { PageHeader } from "@/components/ui/page-header";
import { toast } from "@/components/ui/toast";
import { useDashboard } from "@/lib/client/dashboard-context";
import { reasonAgainst, subjectOfTransaction } from "@/lib/client/payments/action-reasons";
import { openMoneyDialog } from "@/lib/client/payments/money-record";
import { useTimeZone } from "@/lib/client/time-display";
import { filterChips } from "@/lib/client/transactions/filter-chips";
import { rememberList } from "@/lib/client/transactions/last-list";
import { rangeText } from "@/lib/contract/format";
import {
  type ColumnName,
  columnMembers,
  columnsCookie,
  DEFAULT_COLUMNS,
  knownColumns,
  TABLE_COLUMNS,
} from "@/lib/contract/transactions/columns";
import { NO_FILTERS } from "@/lib/contract/transactions/filters";
import type { TransactionQuery } from "@/lib/contract/transactions/query";
import type { SavedView } from "@/lib/contract/transactions/saved-views";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import { FilterBar, FilterChips } from "./filter-bar";
import { SearchBox } from "./search-box";
import {
  ListStatus,
  OutageNotice,
  ProblemNotice,
  sortText,
  TransactionList,
  useAnnouncement,
} from "./transaction-list";
import {
  type InitialList,
  MAX_SELECTED,
  type Selection,
  useSelection,
  useTransactionList,
  useTransactionsUrl,
} from "./use-transactions";
import { useSavedViews, ViewTabs } from "./view-tabs";

const PaymentPanel = dynamic(
  () => import("@/components/payments/payment-panel").then((module) => module.PaymentPanel, missingPart),
  { ssr: false },
);

const BulkRefundBar = dynamic(
  () => import("@/components/payments/bulk-refund-bar").then((module) => module.BulkRefundBar, missingPart),
  {
    ssr: false,
  },
);

/** Minimum width for a payment beside the list. */
const WIDE = "(width >= 48rem)";

type TransactionsViewProps = {
  initial: InitialList | null;
  /** The merchant's currencies, most used first. */
  currencies: readonly string[];
  columns: readonly ColumnName[] | null;
  /** Public address of the API, for the first curl. */
  apiUrl: string;
};

/** Searches and lists transactions. All query state is in the address. */
export function TransactionsView({ initial, currencies, columns: ownColumns, apiUrl }: TransactionsViewProps) {
  const { mode, merchant } = useDashboard();
  const { timeZone } = merchant;
  const router = useRouter();
  const zone = useTimeZone();
  const url = useTransactionsUrl();
  const { query, key, panel } = url;
  const table = useRef<HTMLTableElement>(null);
  // The external system here is session storage.
  useEffect(() => rememberList(mode, key), [mode, key]);
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
            address={`/${mode}/transactions/export?${key.replace(/^&/, "")}`}
            noun="transaction"
            columns={columnMembers(columns)}
            total={isStale ? null : total}
            totalCapped={capped}
          />
        }
      />
      <ViewTabs
        {...{ mode, query, saved, columns, columnsChanged: changedInView }}
        active={view}
        onView={(next, id) => change({ ...NO_FILTERS, ...next }, { view: id })}
      />
      <div className="flex flex-col gap-3 pt-3 print:pt-0">
        <div className="flex flex-wrap items-start gap-2 print:hidden">
          <SearchBox
            {...search}
            currency={currencies[0]}
            onText={setText}
            onFilters={url.change}
            onJump={(id) => router.push(`/${mode}/${id.startsWith("pay_") ? "payments" : "transactions"}/${id}`)}
          />
          <FilterBar query={query} timeZone={timeZone} currencies={currencies} onChange={change} />
          <ColumnPicker all={TABLE_COLUMNS} visible={columns} onChange={setColumns} onReset={resetColumns} />
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
        onClear={() => change(NO_FILTERS)}
        onFilters={change}
      />
      {selection.size > 0 && (
        <BulkRefundBar selection={selection.of(rows)} onDone={selection.clear} note={selectionNote(selection)} />
      )}
      {panel !== null && <PaymentPanel paymentId={panel} mode={mode} onClose={close} />}
    </>
  );
}

type Change = ReturnType<typeof useTransactionsUrl>["change"];

/** Search text that isn't a chip yet. Any other change of the filters, including Back, empties the box. */
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

/** Scope of "select all": never more than the visible rows. */
function selectionNote({ limited }: Selection): string {
  if (limited) return `No more than ${MAX_SELECTED} can be selected at once.`;
  return `Up to ${MAX_SELECTED}, across pages.`;
}

const COPIED_MS = 1_500;

/**
 * Feedback is written to the button itself, because state per button would be too much for a table of them.
 */
function copyId(button: HTMLElement, say: (message: string) => void): void {
  const id = button.dataset.copy ?? "";
  navigator.clipboard.writeText(id).then(
    () => {
      button.dataset.copied = "";
      setTimeout(() => delete button.dataset.copied, COPIED_MS);
      say(`Copied ${id}`);
    },
    () => toast.error("Your browser didn’t allow copying.", { description: id }),
  );
}

type TableKeys = {
  table: RefObject<HTMLTableElement | null>;
  rows: readonly ListedTransaction[];
  openPayment: string | null;
  onOpen: (paymentId: string) => void;
  onClose: () => void;
  onToggle: (row: ListedTransaction) => void;
  onMessage: (message: string) => void;
};

/**
 * j and k move between rows, x selects, r refunds, Enter opens (by the row's link), Escape closes the panel.
 * The current row is the focused one.
 */
function useTableKeys(keys: TableKeys): void {
  const { can } = useDashboard();
  useSingleKeys((key) => {
    if (key === "Escape") {
      if (keys.openPayment === null) return false;
      keys.onClose();
      return true;
    }
    const at = currentIndex(keys);
    const row = keys.rows[at];
    if (key === "j" || key === "k") walk(keys, at, key === "j" ? 1 : -1);
    else if (key === "x" && row) keys.onToggle(row);
    else if (key === "r" && row && row.payment_id !== keys.openPayment) {
      const reason = reasonAgainst("refund", subjectOfTransaction(row), can);
      if (reason === null) openMoneyDialog({ kind: "action", action: "refund", paymentId: row.payment_id });
      else keys.onMessage(reason);
    } else return false;
    return true;
  });
}

/** Index of the focused row, or else of the open one, or -1. */
function currentIndex({ table, rows, openPayment }: TableKeys): number {
  const active = document.activeElement;
  const id = table.current?.contains(active) ? active?.closest("tr")?.dataset.id : undefined;
  if (id !== undefined) return rows.findIndex((row) => row.id === id);
  return rows.findIndex((row) => row.payment_id === openPayment);
}

function walk({ table, rows, openPayment, onOpen }: TableKeys, at: number, step: 1 | -1): void {
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + step, 0), rows.length - 1);
  const row = rows[next];
  if (!row) return;
  const link = table.current?.querySelector<HTMLElement>(`tr[data-id="${row.id}"] a[data-row]`);
  link?.focus({ preventScroll: true });
  link?.closest("tr")?.scrollIntoView({ block: "nearest" });
  if (openPayment !== null && row.payment_id !== openPayment) onOpen(row.payment_id);
}

const YEAR_SECONDS = 365 * 86_400;

/**
 * Visible columns: the saved view's, or else the user's own. The latter are in a cookie, so that the server
 * renders with them and nothing jumps.
 */
function useColumns(own: readonly ColumnName[] | null, view: SavedView | null) {
  const { user } = useDashboard();
  const [mine, setMine] = useState(own);
  const [changed, setChanged] = useState<{ view: string; columns: readonly ColumnName[] } | null>(null);
  const viewColumns = view && knownColumns(view.columns);
  const inView = view !== null && changed?.view === view.id ? changed.columns : viewColumns;

  const remember = (columns: readonly ColumnName[] | null) => {
    setMine(columns);
    const lifetime = columns === null ? 0 : YEAR_SECONDS;
    const isSecure = location.protocol === "https:";
    const attributes = `path=/; max-age=${lifetime}; samesite=lax${isSecure ? "; secure" : ""}`;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API isn't in every browser yet
    document.cookie = `${columnsCookie(user.userId, isSecure)}=${(columns ?? []).join(".")}; ${attributes}`;
  };

  return {
    columns: inView ?? mine ?? DEFAULT_COLUMNS,
    /** The view's columns differ from those shown. */
    changedInView: view !== null && inView?.join() !== viewColumns?.join(),
    setColumns: (columns: readonly ColumnName[]) =>
      view === null ? remember(columns) : setChanged({ view: view.id, columns }),
    resetColumns: () => (view === null ? remember(null) : setChanged({ view: view.id, columns: DEFAULT_COLUMNS })),
  };
}
