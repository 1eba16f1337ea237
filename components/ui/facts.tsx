import type { ReactNode } from "react";
import { cn } from "./class-names";

export type Fact = { term: ReactNode; value: ReactNode };

type FactsProps = {
  /** A value of null or undefined shows as a dash: absent, not forgotten. */
  items: readonly Fact[];
  columns?: 1 | 2;
  className?: string;
};

/** Names and values, lined up. */
export function Facts({ items, columns = 1, className }: FactsProps) {
  return (
    <dl className={cn("grid gap-x-8 text-[13px]", columns === 2 && "md:grid-cols-2", className)}>
      {items.map(({ term, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the facts of a thing have an order and nothing else
        <div key={index} className="flex min-w-0 items-baseline gap-4 py-1">
          <dt className="w-36 shrink-0 text-soft max-sm:w-28">{term}</dt>
          <dd className="min-w-0 flex-1 [overflow-wrap:anywhere]">{value ?? <span className="text-soft">–</span>}</dd>
        </div>
      ))}
    </dl>
  );
}
