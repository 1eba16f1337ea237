import { memo } from "react";
import { RowActions } from "@/components/money/row-actions";
import { moneyText } from "@/lib/client/money-text";
import { type ColumnName, TRANSACTION_COLUMNS } from "@/lib/client/transaction-columns";
import type { ListedTransaction } from "@/lib/contract/transaction";
import { CELLS, NUMBER_COLUMNS, TEXT_COLUMNS } from "./cells";

type TransactionRowProps = {
  row: ListedTransaction;
  /** Visible columns in order. */
  columns: readonly ColumnName[];
  mode: string;
  zone: string;
  selected: boolean;
  /** Its payment is open beside the list. */
  open: boolean;
  fresh: boolean;
};

/** A change rises to the table; React wants a listener all the same. */
const heardByTable = () => {};

/** Nothing in it listens: clicks, keys and hovering are the table's business. Drawn again only when it changes. */
export const TransactionRow = memo(function TransactionRow(props: TransactionRowProps) {
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
          aria-label={`Select ${moneyText(row.amount, row.currency)}, ${row.id}`}
        />
      </td>
      {columns.map((name, index) => (
        <td key={name} className={cellClass(name)} data-label={TRANSACTION_COLUMNS[name].label}>
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

export function cellClass(name: ColumnName): string {
  return `${name}${NUMBER_COLUMNS.has(name) ? " num" : ""}${TEXT_COLUMNS.has(name) ? " fill" : ""}`;
}
