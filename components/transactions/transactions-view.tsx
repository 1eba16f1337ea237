"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { FilterBar, FilterChips, listFilters } from "@/components/lists/filter-bar";
import { ProblemNotice } from "@/components/lists/problem-notice";
import { builtInViews, useSavedViews, ViewTabs } from "@/components/lists/view-tabs";
import { ExportButton } from "@/components/reporting/export-button";
import { useSingleKeys } from "@/components/shell/single-keys";
import { ColumnPicker } from "@/components/ui/data-table";
import { missingPart } from "@/components/ui/missing-part";
import { PageHeader } from "@/components/ui/page-header";
import { toast } from "@/components/ui/toast";
import { useDashboard } from "@/lib/client/dashboard-context";
import { filterChips } from "@/lib/client/lists/filter-chips";
import { reasonAgainst, subjectOfTransaction } from "@/lib/client/payments/action-reasons";
import { openMoneyDialog } from "@/lib/client/payments/money-dialog";
import { useTimeZone } from "@/lib/client/time-display";
import { rememberList } from "@/lib/client/transactions/last-list";
import { rangeText } from "@/lib/contract/format";
import type { SavedView } from "@/lib/contract/lists/saved-views";
import {
  type ColumnName,
  columnMembers,
  columnsCookie,
  DEFAULT_COLUMNS,
  knownColumns,
  TABLE_COLUMNS,
} from "@/lib/contract/transactions/columns";
import { FILTER_ROWS, NO_FILTERS } from "@/lib/contract/transactions/filters";
import { FIRST_QUERY, formatQuery, parseQuery, type TransactionQuery } from "@/lib/contract/transactions/query";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import { SearchBox } from "./search-box";
import { ListStatus, OutageNotice, sortText, TransactionList, useAnnouncement } from "./transaction-list";
import {
  type InitialList,
  MAX_SELECTED,
  type Selection,
  useSelection,
  useTransactionList,
  useTransactionsUrl,
} from "./use-transactions";

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

const FILTERS = listFilters(
  FILTER_ROWS,
  () => import("./filter-form").then((module) => module.TransactionFilterForm, missingPart),
  [
    ["created_at desc", "Newest first"],
    ["created_at asc", "Oldest first"],
    ["amount desc", "Largest amount first"],
    ["amount asc", "Smallest amount first"],
    ["status asc", "By status"],
    ["status desc", "By status, reversed"],
  ],
);

const BUILT_IN = builtInViews(FIRST_QUERY, formatQuery, {
  All: {},
  "Needs capture": { status: ["AUTHORIZED"] },
  Refunded: { status: ["REFUNDED", "PARTIALLY_REFUNDED"] },
  Declined: { status: ["DECLINED"] },
  Failed: { status: ["FAILED"] },
});

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

/** Pages that a typed id opens, by its prefix. */
const JUMPS: Readonly<Record<string, string>> = { pay: "payments", inv: "invoices", pm: "payment-methods" };

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
  const saved = useSavedViews("transactions");
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
    table,
    rows,
    openPayment: panel,
    onOpen: open,
    onClose: close,
    onToggle: toggle,
    onMessage: setMessage,
  });

  const { page, perPage, sort } = query;
  const total = list?.total ?? null;
  const capped = list?.total_capped ?? false;
  const range = total === null ? null : rangeText({ page, perPage, count: rows.length, total, capped });
  const announcement = useAnnouncement(key, isStale ? null : `${range}, ${sortText(sort)}`);

  return (
    <>
      <PageHeader
        title="Payments"
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
        path={`/${mode}/transactions`}
        what="payments"
        builtIn={BUILT_IN}
        now={formatQuery({ ...query, page: 1 })}
        saved={saved}
        columns={columns}
        columnsChanged={changedInView}
        active={view}
        onView={(text, id) => change({ ...NO_FILTERS, ...parseQuery(new URLSearchParams(text)).query }, { view: id })}
      />
      <div className="flex flex-col gap-3 pt-3 print:pt-0">
        <div className="flex flex-wrap items-start gap-2 print:hidden">
          <SearchBox
            {...search}
            currency={currencies[0]}
            onText={setText}
            onFilters={url.change}
            onJump={(id) => router.push(`/${mode}/${JUMPS[id.replace(/_.*/, "")] ?? "transactions"}/${id}`)}
          />
          <FilterBar list={FILTERS} query={query} timeZone={timeZone} currencies={currencies} onChange={change} />
          <ColumnPicker all={TABLE_COLUMNS} visible={columns} onChange={setColumns} onReset={resetColumns} />
        </div>
        <ProblemNotice problems={url.problems} onRemove={() => change({}, { replace: true })} />
        <FilterChips rows={FILTER_ROWS} filters={query} timeZone={timeZone} onChange={change} />
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
        filters={filterChips(FILTER_ROWS, query, timeZone).map((chip) => chip.label)}
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
