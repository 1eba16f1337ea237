import Link from "next/link";
import { CopyId } from "@/components/ui/copy-id";
import { Facts } from "@/components/ui/facts";
import { StatusBadge } from "@/components/ui/status-badge";
import type { PaymentInside } from "@/lib/contract/support/payment-inside";

export function PaymentOwner({ inside: { merchant, environment } }: { inside: PaymentInside }) {
  return (
    <Facts
      items={[
        {
          term: "Merchant",
          value: (
            <span className="flex flex-wrap items-center gap-2">
              <Link
                href={`/support/merchants/${merchant.id}?mode=${environment.mode}`}
                prefetch={false}
                className="text-accent hover:underline"
              >
                {merchant.name}
              </Link>
              {merchant.suspended && <StatusBadge status="SUSPENDED" />}
            </span>
          ),
        },
        { term: "Mode", value: environment.mode === "live" ? "Live" : "Test" },
        { term: "Environment", value: <CopyId id={environment.id} short label="Copy environment id" /> },
      ]}
    />
  );
}
