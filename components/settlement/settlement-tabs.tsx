import Link from "next/link";
import { TabLinks } from "@/components/ui/page-links";
import type { Mode } from "@/lib/contract/transactions/words";

const TABS = [
  ["Payouts", "payouts"],
  ["Balance", "balance"],
  ["Settlement batches", "settlement-batches"],
] as const;

/** Tabs of the payouts section. */
export function SettlementTabs({ mode, current }: { mode: Mode; current: (typeof TABS)[number][1] }) {
  const tabs = TABS.map(([label, path]) => ({ label, href: `/${mode}/${path}`, current: path === current }));
  return <TabLinks label="Payouts" tabs={tabs} />;
}

type FilterLinksProps = {
  label: string;
  /** Label and address of each value. */
  links: readonly { label: string; href: string; current: boolean }[];
};

/** A filter as links, so that it can be shared and Back works. */
export function FilterLinks({ label, links }: FilterLinksProps) {
  return (
    <nav aria-label={label} className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px]">
      <span className="text-soft">{label}</span>
      <ul className="flex flex-wrap gap-1">
        {links.map(({ label: name, href, current }) => (
          <li key={href}>
            <Link
              href={href}
              scroll={false}
              aria-current={current ? "true" : undefined}
              className="inline-flex min-h-6 items-center rounded border border-transparent px-2 text-soft hover:text-ink aria-[current]:border-line aria-[current]:bg-raised aria-[current]:font-medium aria-[current]:text-ink"
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
