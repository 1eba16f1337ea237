import Link from "next/link";
import { cn } from "@/components/ui/styles";

type LinkGroupProps = {
  /** Accessible name. */
  label: string;
  links: readonly { href: string; text: string; current: boolean }[];
};

/** Views of the same page as links, so that Back and Reload keep the selection. Scrolls on narrow screens. */
export function LinkGroup({ label, links }: LinkGroupProps) {
  return (
    <nav aria-label={label} className="flex min-w-0 overflow-x-auto rounded-md border p-0.5 [scrollbar-width:none]">
      {links.map(({ href, text, current }) => (
        <Link
          key={text}
          href={href}
          scroll={false}
          prefetch={false}
          aria-current={current ? "true" : undefined}
          className={cn(
            "flex h-6.5 shrink-0 items-center whitespace-nowrap rounded px-2.5 text-[13px] focus-visible:-outline-offset-2",
            current ? "bg-raised font-medium" : "text-soft hover:text-ink",
          )}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
