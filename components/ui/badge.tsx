import type { ReactNode } from "react";
import { cn } from "./class-names";

export type Tone = "neutral" | "accent" | "green" | "blue" | "amber" | "red" | "violet";

export const TONE_STYLES: Record<Tone, string> = {
  neutral: "bg-raised text-soft",
  accent: "bg-accent-ground text-accent",
  green: "bg-green-ground text-green",
  blue: "bg-blue-ground text-blue",
  amber: "bg-amber-ground text-amber",
  red: "bg-red-ground text-red",
  violet: "bg-violet-ground text-violet",
};

type BadgeProps = { tone?: Tone; icon?: ReactNode; className?: string; children: ReactNode };

export function Badge({ tone = "neutral", icon, className, children }: BadgeProps) {
  return (
    <span
      className={cn(
        "inline-flex h-5 items-center gap-1 whitespace-nowrap rounded px-1.5 font-medium text-xs [&_svg]:size-3 [&_svg]:shrink-0",
        TONE_STYLES[tone],
        className,
      )}
    >
      {icon}
      {children}
    </span>
  );
}
