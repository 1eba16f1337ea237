import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { TONE_STYLES, type Tone } from "./badge";
import { cn } from "./styles";
import { Time } from "./time";

/** An object's history, newest first. Its children are `TimelineItem`s. */
export function Timeline({ children }: { children: ReactNode }) {
  return (
    <ol reversed aria-label="Timeline" className="flex flex-col">
      {children}
    </ol>
  );
}

type TimelineItemProps = {
  icon: LucideIcon;
  tone: Tone;
  title: ReactNode;
  /** ISO 8601. */
  at: string;
  children?: ReactNode;
};

export function TimelineItem({ icon: Icon, tone, title, at, children }: TimelineItemProps) {
  return (
    <li className="group relative flex gap-3 pb-5 last:pb-0">
      <span aria-hidden="true" className="absolute top-7 bottom-1 left-3 w-px bg-line group-last:hidden" />
      <span className={cn("flex size-6 shrink-0 items-center justify-center rounded-full", TONE_STYLES[tone])}>
        <Icon aria-hidden="true" className="size-3.5" />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <p className="font-medium">{title}</p>
          <Time at={at} className="text-soft text-xs" />
        </div>
        {children}
      </div>
    </li>
  );
}
