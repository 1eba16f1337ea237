"use client";

import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { CopyButton } from "@/components/ui/copy";

type JsonViewProps = { title: ReactNode; value: unknown; open?: boolean; label: string };

/** Collapsible JSON with a copy button. */
export function JsonView({ title, value, open = false, label }: JsonViewProps) {
  const [isOpen, setOpen] = useState(open);
  return (
    <details
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group/json min-w-0 rounded-md border"
    >
      <summary className="flex list-none items-center gap-1.5 rounded-md px-3 py-1.5 text-[13px] hover:bg-raised [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden="true" className="size-3.5 text-soft group-open/json:rotate-90" />
        {title}
      </summary>
      {isOpen && <JsonBlock value={value} label={label} />}
    </details>
  );
}

/** JSON without a frame, always open. */
function JsonBlock({ value, label }: { value: unknown; label: string }) {
  return (
    <figure aria-label={label} className="relative border-t bg-raised">
      <div className="absolute top-1 right-1 rounded bg-raised">
        <CopyButton />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label} className="max-h-96 overflow-auto">
        <pre className="w-max px-3 py-2 font-mono text-xs leading-[1.6]">
          <code>{JSON.stringify(value, null, 2)}</code>
        </pre>
      </section>
    </figure>
  );
}
