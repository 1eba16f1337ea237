import type { ReactNode } from "react";

export type SortState = { field: string; order: "asc" | "desc" };

type SortHeaderProps = {
  field: string;
  sort: SortState;
  onSort: (sort: SortState) => void;
  /** The order that one press gives first. */
  first?: "asc" | "desc";
  className?: string;
  children: ReactNode;
};

/** A heading that sorts; pressing it again turns the order round. */
export function SortHeader({ field, sort, onSort, first = "desc", className, children }: SortHeaderProps) {
  const order = sort.field === field ? sort.order : null;
  const next = order === null ? first : order === "asc" ? "desc" : "asc";
  return (
    <th
      scope="col"
      className={className}
      aria-sort={order === null ? undefined : order === "asc" ? "ascending" : "descending"}
    >
      <button type="button" className="sort" onClick={() => onSort({ field, order: next })}>
        {children}
        <svg viewBox="0 0 12 12" aria-hidden="true">
          <path
            d={(order ?? next) === "asc" ? "M2.5 7.5 6 4l3.5 3.5" : "M2.5 4.5 6 8l3.5-3.5"}
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
          />
        </svg>
      </button>
    </th>
  );
}
