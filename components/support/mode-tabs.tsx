import Link from "next/link";
import { cn } from "@/components/ui/class-names";
import { MODES, type Mode } from "@/lib/contract/transaction-words";

/** The merchant's two environments. */
export function ModeTabs({ merchantId, mode }: { merchantId: string; mode: Mode }) {
  return (
    <nav aria-label="Environment" className="flex gap-1 border-b">
      {MODES.map((one) => (
        <Link
          key={one}
          href={`/support/merchants/${merchantId}?mode=${one}`}
          prefetch={false}
          aria-current={one === mode ? "page" : undefined}
          className={cn(
            "-mb-px flex h-8 items-center border-b-2 px-2 text-[13px]",
            one === mode ? "border-violet font-medium" : "border-transparent text-soft hover:text-ink",
          )}
        >
          {one === "live" ? "Live" : "Test"}
        </Link>
      ))}
    </nav>
  );
}
