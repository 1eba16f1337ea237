import { type ReactNode, useId } from "react";
import type { BillingAddress, Metadata } from "@/lib/contract/fields";
import { moneyText } from "@/lib/contract/format";
import { cn } from "./styles";

type CardProps = {
  title?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** Without padding, for tables that reach the edges. */
  flush?: boolean;
  className?: string;
  children: ReactNode;
};

export function Card({ title, description, actions, flush = false, className, children }: CardProps) {
  const id = useId();
  return (
    <section aria-labelledby={title ? id : undefined} className={cn("min-w-0 rounded-lg border", className)}>
      {(title || actions) && (
        <header className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b px-4 py-2.5">
          <div className="min-w-0 flex-1 basis-32">
            <h2 id={id} className="font-semibold text-sm leading-6">
              {title}
            </h2>
            {description && <p className="text-[13px] text-soft">{description}</p>}
          </div>
          {actions && <div className="flex min-w-0 items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={flush ? "min-w-0" : "p-4 text-[13px]"}>{children}</div>
    </section>
  );
}

type Fact = { term: ReactNode; value: ReactNode };

type FactsProps = {
  /** Null and undefined show as a dash. */
  items: readonly Fact[];
  columns?: 1 | 2;
  className?: string;
};

/** Aligned names and values. */
export function Facts({ items, columns = 1, className }: FactsProps) {
  return (
    <dl className={cn("grid gap-x-8 text-[13px]", columns === 2 && "md:grid-cols-2", className)}>
      {items.map(({ term, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: facts have only a position
        <div key={index} className="flex min-w-0 items-baseline gap-4 py-1">
          <dt className="w-36 shrink-0 text-soft max-sm:w-28">{term}</dt>
          <dd className="min-w-0 flex-1 [overflow-wrap:anywhere]">{value ?? <span className="text-soft">–</span>}</dd>
        </div>
      ))}
    </dl>
  );
}

/** An object's metadata, below its facts. */
export function MetadataFacts({ metadata }: { metadata: Metadata }) {
  const entries = Object.entries(metadata);
  return (
    <>
      <h3 className="mt-3 border-t pt-3 font-medium">Metadata</h3>
      {entries.length === 0 ? (
        <p className="text-soft">None</p>
      ) : (
        <Facts
          items={entries.map(([name, value]) => ({
            term: <span className="font-mono text-xs [overflow-wrap:anywhere]">{name}</span>,
            value: <span className="font-mono text-xs">{String(value)}</span>,
          }))}
        />
      )}
    </>
  );
}

type MoneyProps = {
  /** In minor units. */
  amount: number;
  currency: string;
  /** Without the currency code, if a heading shows it. */
  bare?: boolean;
  className?: string;
};

/** Tabular digits, so that a column of amounts lines up. */
export function Money({ amount, currency, bare = false, className }: MoneyProps) {
  const text = moneyText(amount, currency);
  return (
    <span className={cn("whitespace-nowrap tabular-nums", className)}>
      {text}
      {!bare && !text.includes(currency) && <span className="text-soft"> {currency}</span>}
    </span>
  );
}

/** A billing address, line by line. */
export function Address({ address }: { address: BillingAddress }) {
  const lines = [
    address.line1,
    address.line2,
    [address.postal_code, address.city, address.state].filter(Boolean).join(" "),
    address.country,
  ].filter(Boolean);
  if (lines.length === 0) return <span className="text-soft">–</span>;
  return (
    <address className="not-italic">
      {lines.map((line) => (
        <span key={line} className="block">
          {line}
        </span>
      ))}
    </address>
  );
}
