"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { useDashboard } from "@/lib/client/dashboard-context";

const GROUPS = ["You", "Business"] as const;

/** On a phone the row may have scrolled it away. */
const bringIntoView = (link: HTMLElement | null) => link?.scrollIntoView({ block: "nearest", inline: "center" });

/** Beside the page where there is room, above it as a row that scrolls where there is not. */
export function SettingsNav() {
  const { mode, can } = useDashboard();
  const pathname = usePathname();
  const pages = SETTINGS_PAGES.filter(({ permission }) => permission === null || can(permission));
  const groups = GROUPS.filter((group) => pages.some((page) => page.group === group));
  return (
    <nav aria-label="Settings" className="relative max-md:-mx-4 max-md:overflow-x-auto max-md:border-b max-md:px-4">
      <div className="flex gap-4 md:flex-col md:gap-5">
        {groups.map((group) => (
          <div key={group}>
            <p className="mb-1 px-2 font-medium text-soft text-xs max-md:sr-only" id={`settings-${group}`}>
              {group}
            </p>
            <ul aria-labelledby={`settings-${group}`} className="flex max-md:gap-4 md:flex-col md:gap-px">
              {pages
                .filter((page) => page.group === group)
                .map(({ label, path }) => (
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

/** The pages below `/{mode}/settings`, and what they ask for. */
export const SETTINGS_PAGES = [
  { path: "account", label: "Your account", group: "You", permission: null },
  { path: "second-factor", label: "Two-factor authentication", group: "You", permission: null },
  { path: "sessions", label: "Sessions", group: "You", permission: null },
  { path: "appearance", label: "Appearance", group: "You", permission: null },
  { path: "business", label: "Business profile", group: "Business", permission: "settings.manage" },
  { path: "processors", label: "Processors", group: "Business", permission: "settings.manage" },
  { path: "team", label: "Team", group: "Business", permission: "team.manage" },
  { path: "activity", label: "Activity", group: "Business", permission: "settings.manage" },
] as const;
