"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";

const GROUPS = ["You", "Business"] as const;

/** On a phone the row may have scrolled it away. */
const bringIntoView = (link: HTMLElement | null) => link?.scrollIntoView({ block: "nearest", inline: "center" });

/** Beside the page where there is room, above it as a row that scrolls where there is not. */
export function SettingsNav({ mode }: { mode: string }) {
  const pathname = usePathname();
  return (
    <nav aria-label="Settings" className="relative max-md:-mx-4 max-md:overflow-x-auto max-md:border-b max-md:px-4">
      <div className="flex gap-4 md:flex-col md:gap-5">
        {GROUPS.map((group) => (
          <div key={group}>
            <p className="mb-1 px-2 font-medium text-soft text-xs max-md:sr-only" id={`settings-${group}`}>
              {group}
            </p>
            <ul aria-labelledby={`settings-${group}`} className="flex max-md:gap-4 md:flex-col md:gap-px">
              {SETTINGS_PAGES.filter((page) => page.group === group).map(({ label, path }) => (
                <li key={path}>
                  <Link
                    href={`/${mode}/settings/${path}`}
                    ref={pathname === `/${mode}/settings/${path}` ? bringIntoView : undefined}
                    aria-current={pathname === `/${mode}/settings/${path}` ? "page" : undefined}
                    className="block text-[13px] text-soft hover:text-ink aria-[current]:font-medium aria-[current]:text-ink max-md:flex max-md:h-9 max-md:items-center max-md:whitespace-nowrap max-md:aria-[current]:shadow-[inset_0_-2px_var(--accent)] md:rounded-md md:px-2 md:py-1 md:aria-[current]:bg-raised md:hover:bg-raised"
                  >
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}

/** The pages below `/{mode}/settings`. */
const SETTINGS_PAGES = [
  { path: "account", label: "Your account", group: "You" },
  { path: "second-factor", label: "Two-factor authentication", group: "You" },
  { path: "sessions", label: "Sessions", group: "You" },
  { path: "appearance", label: "Appearance", group: "You" },
  { path: "business", label: "Business profile", group: "Business" },
  { path: "processors", label: "Processors", group: "Business" },
  { path: "team", label: "Team", group: "Business" },
  { path: "activity", label: "Activity", group: "Business" },
] as const;
