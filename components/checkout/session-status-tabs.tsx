import Link from "next/link";
import { statusLabel } from "@/components/ui/status-badge";
import type { ClientSessionStatus } from "@/lib/contract/client-session";

const STATUSES = ["OPEN", "COMPLETED", "EXPIRED", "CANCELLED"] as const satisfies readonly ClientSessionStatus[];

/** The filter stands in the address, so that it can be sent to somebody and the back button works. */
export function SessionStatusTabs({ path, status }: { path: string; status: ClientSessionStatus | null }) {
  return (
    <nav aria-label="Filter by status" className="mb-3">
      <ul className="tab-bar">
        <Tab href={path} current={status === null}>
          All
        </Tab>
        {STATUSES.map((value) => (
          <Tab key={value} href={`${path}?status=${value}`} current={status === value}>
            {statusLabel(value)}
          </Tab>
        ))}
      </ul>
    </nav>
  );
}

function Tab({ href, current, children }: { href: string; current: boolean; children: string }) {
  return (
    <li>
      <Link href={href} aria-current={current ? "page" : undefined} className="tab" scroll={false}>
        {children}
      </Link>
    </li>
  );
}
