"use client";

import { createColumnHelper, rowSelectionFeature, tableFeatures, useTable } from "@tanstack/react-table";
import { ArrowUpRight } from "lucide-react";
import { type ChangeEvent, type MouseEvent, memo, type PointerEvent, type RefObject, useMemo } from "react";
import { ACTION_LOOKS } from "@/components/payments/action-looks";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { SortHeader, type SortState } from "@/components/ui/data-table";
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from "@/components/ui/menu";
import { useDashboard } from "@/lib/client/dashboard-context";
import { reasonAgainst, subjectOfTransaction } from "@/lib/client/payments/action-reasons";
import { openMoneyDialog } from "@/lib/client/payments/money-dialog";
import { timeForms } from "@/lib/client/time-display";
import { moneyText, relativeTimeText } from "@/lib/contract/format";
import { type ColumnName, TABLE_COLUMNS } from "@/lib/contract/transactions/columns";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import { ACTIONS, SORT_FIELDS, signedAmount } from "@/lib/contract/transactions/words";
import { CELLS, NUMBER_COLUMNS, RowIcons, TEXT_COLUMNS } from "./cells";
import type { Selection } from "./use-transactions";

const features = tableFeatures({ rowSelectionFeature });
const helper = createColumnHelper<typeof features, ListedTransaction>();

type TransactionTableProps = {
  tableRef: RefObject<HTMLTableElement | null>;
  rows: readonly ListedTransaction[];
  columns: readonly ColumnName[];
  fresh: ReadonlySet<string>;
  /** The rows are still those of the previous query. */
  stale: boolean;
  sort: SortState;
  onSort: (sort: SortState) => void;
  selection: Selection;
  openPayment: string | null;
  onOpen: (paymentId: string) => void;
  onCopy: (button: HTMLElement) => void;
  /** Called when the pointer or the focus enters or leaves the rows. */
  onPointing: (what: "pointer" | "focus", on: boolean) => void;
  mode: string;
  zone: string;
  caption: string;
};

export function TransactionTable(props: TransactionTableProps) {
  const { tableRef, rows, columns, fresh, stale, sort, onSort, selection, openPayment, mode, zone, caption } = props;
  const { onPointing } = props;
  const shown = useMemo(() => helper.columns(columns.map((name) => helper.display({ id: name }))), [columns]);
  const table = useTable({
    features,
    columns: shown,
    data: rows as ListedTransaction[],
    getRowId: (row) => row.id,
    state: { rowSelection: selection.ids },
    onRowSelectionChange: (update) => selection.set(update, rows),
  });

  const select = (event: ChangeEvent<HTMLElement>) => {
    const id = event.target.closest("tr")?.dataset.id;
    if (id !== undefined) table.getRow(id).getToggleSelectedHandler()(event);
  };
  // A payment may have several rows; only one of them is marked as open.
  const ofPayment = rows.filter((row) => row.payment_id === openPayment);
  const openRow = (ofPayment.find(({ type }) => type === "CHARGE") ?? ofPayment[0])?.id;
  const onClick = (event: MouseEvent<HTMLElement>) => clickRow(event, props);

  return (
    <div className="data-table-scroll">
      <RowIcons />
      <table
        ref={tableRef}
        className="data-table"
        data-stale={stale || undefined}
        aria-busy={stale}
        onPointerOver={(event) => describeTime(event, zone)}
      >
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            <th scope="col" className="pick">
              <Checkbox
                aria-label={`Select this page’s ${rows.length} transactions`}
                checked={rows.length > 0 && table.getIsAllRowsSelected()}
                indeterminate={!table.getIsAllRowsSelected() && rows.some((row) => selection.ids[row.id])}
                disabled={rows.length === 0}
                onChange={table.getToggleAllRowsSelectedHandler()}
              />
            </th>
            {table.getAllLeafColumns().map((column) => (
              <Heading key={column.id} name={column.id as ColumnName} sort={sort} onSort={onSort} />
            ))}
            <th scope="col" className="act">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the link in the row handles the keys */}
        <tbody // oxlint-disable-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
          onClick={onClick}
          onChange={select}
          onPointerEnter={(event) => onPointing("pointer", event.pointerType === "mouse")}
          onPointerLeave={() => onPointing("pointer", false)}
          onFocus={() => onPointing("focus", true)}
          onBlur={(event) => {
            if (!event.currentTarget.contains(event.relatedTarget)) onPointing("focus", false);
          }}
        >
          {table.getRowModel().rows.map(({ id, original }) => (
            <TransactionRow
              key={id}
              row={original}
              columns={columns}
              mode={mode}
              zone={zone}
              selected={selection.ids[id] === true}
              open={id === openRow}
              fresh={fresh.has(id)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type HeadingProps = { name: ColumnName; sort: SortState; onSort: (sort: SortState) => void };

function Heading({ name, sort, onSort }: HeadingProps) {
  const { label } = TABLE_COLUMNS[name];
  if (SORT_FIELDS.some((field) => field === name)) {
    return (
      <SortHeader
        field={name}
        sort={sort}
        onSort={onSort}
        first={name === "status" ? "asc" : "desc"}
        className={cellClass(name)}
      >
        {label}
      </SortHeader>
    );
  }
  return (
    <th scope="col" className={cellClass(name)}>
      {label}
    </th>
  );
}

/** Opens the row's payment, except for clicks on controls and text selections. */
function clickRow(event: MouseEvent<HTMLElement>, { onOpen, onCopy }: TransactionTableProps): void {
  const target = event.target as HTMLElement;
  const row = target.closest<HTMLElement>("tr[data-id]");
  if (!row || !event.currentTarget.contains(target)) return;
  const copy = target.closest<HTMLElement>("[data-copy]");
  if (copy) onCopy(copy);
  if (copy || target.closest("button, input, .act, .pick")) return;
  const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  const link = row.querySelector<HTMLAnchorElement>("a[data-row]");
  if (target.closest("a")) {
    if (elsewhere) return;
    event.preventDefault();
  } else if (elsewhere || window.getSelection()?.isCollapsed === false) return;
  if (row.dataset.payment && link) onOpen(row.dataset.payment);
}

/** Fills in a time's tooltip when the pointer reaches it. */
function describeTime(event: PointerEvent<HTMLElement>, zone: string): void {
  const element = (event.target as HTMLElement).closest("time");
  if (!element) return;
  const at = new Date(element.dateTime);
  element.title = [...timeForms(at, zone), relativeTimeText(at)].join("\n");
}

type TransactionRowProps = {
  row: ListedTransaction;
  /** Visible columns in order. */
  columns: readonly ColumnName[];
  mode: string;
  zone: string;
  selected: boolean;
  /** The row's payment is open beside the list. */
  open: boolean;
  fresh: boolean;
};

/** The table handles the bubbling change event; React requires a listener here. */
const heardByTable = () => {};

/**
 * Has no listeners of its own: the table handles clicks, keys and hovering. Memoized, to render only on
 * changes.
 */
const TransactionRow = memo(function TransactionRow(props: TransactionRowProps) {
  const { row, columns, mode, zone, selected, open, fresh } = props;
  const href = `/${mode}/payments/${row.payment_id}`;
  return (
    <tr
      data-id={row.id}
      data-payment={row.payment_id}
      data-selected={selected || undefined}
      data-open={open || undefined}
      data-fresh={fresh || undefined}
    >
      <td className="pick">
        <input
          type="checkbox"
          className="checkbox"
          checked={selected}
          onChange={heardByTable}
          aria-label={`Select ${moneyText(signedAmount(row), row.currency)}, ${row.id}`}
        />
      </td>
      {columns.map((name, index) => (
        <td key={name} className={cellClass(name)} data-label={TABLE_COLUMNS[name].label}>
          {index === 0 ? (
            <a href={href} data-row="">
              {CELLS[name](row, { zone })}
            </a>
          ) : (
            CELLS[name](row, { zone })
          )}
        </td>
      ))}
      <td className="act">
        <RowActions transaction={row} />
      </td>
    </tr>
  );
});

function cellClass(name: ColumnName): string {
  return `${name}${NUMBER_COLUMNS.has(name) ? " num" : ""}${TEXT_COLUMNS.has(name) ? " fill" : ""}`;
}

/** Menu of a row: every money action, or the reason against it, and a link to the payment. */
function RowActions({ transaction }: { transaction: ListedTransaction }) {
  const { mode } = useDashboard();
  return (
    <Menu>
      <MenuTrigger asChild>
        <Button
          variant="ghost"
          size="sm"
          className="button-icon"
          aria-label={`Actions for ${moneyText(signedAmount(transaction), transaction.currency)}, ${transaction.id}`}
          onClick={(event) => event.stopPropagation()}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <use href="#more-icon" />
          </svg>
        </Button>
      </MenuTrigger>
      <MenuContent align="end" label="Actions" className="w-72 max-w-[calc(100vw-2rem)]">
        <RowMenu transaction={transaction} />
        <MenuSeparator />
        <MenuItem href={`/${mode}/payments/${transaction.payment_id}`} icon={<ArrowUpRight aria-hidden="true" />}>
          Open payment
        </MenuItem>
      </MenuContent>
    </Menu>
  );
}

/** Rendered only while open, because a page has a hundred rows. */
function RowMenu({ transaction }: { transaction: ListedTransaction }) {
  const { can } = useDashboard();
  const subject = subjectOfTransaction(transaction);
  return ACTIONS.map((action) => {
    const { label, icon: Icon } = ACTION_LOOKS[action];
    const reason = reasonAgainst(action, subject, can);
    return (
      <MenuItem
        key={action}
        icon={<Icon aria-hidden="true" />}
        disabled={reason !== null}
        description={reason}
        onSelect={() => openMoneyDialog({ kind: "action", action, paymentId: transaction.payment_id })}
      >
        {label}
        {reason === null && "…"}
      </MenuItem>
    );
  }).toSorted((a, b) => Number(a.props.disabled) - Number(b.props.disabled));
}
