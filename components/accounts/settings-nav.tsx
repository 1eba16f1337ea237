"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { openTo } from "@/components/shell/pages";
import { useDashboard } from "@/lib/client/dashboard-context";

const GROUPS = ["You", "Business"] as const;

/** On a phone the current link may be scrolled out of view. */
const bringIntoView = (link: HTMLElement | null) => link?.scrollIntoView({ block: "nearest", inline: "center" });

/** Beside the page on wide screens, above it as a scrolling row on narrow ones. */
export function SettingsNav() {
  const { mode, can } = useDashboard();
  const pathname = usePathname();
  const pages = openTo(SETTINGS_PAGES, can);
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

/**
 * The pages below `/{mode}/settings` and their permissions; `also` names each page's settings for the
 * palette.
 */
export const SETTINGS_PAGES = [
  {
    path: "account",
    label: "Your account",
    group: "You",
    permission: null,
    also: ["name", "e-mail address", "password"],
  },
  {
    path: "second-factor",
    label: "Two-factor authentication",
    group: "You",
    permission: null,
    also: ["2FA", "authenticator app", "recovery codes", "security"],
  },
  {
    path: "sessions",
    label: "Sessions",
    group: "You",
    permission: null,
    also: ["devices", "sign out everywhere", "security"],
  },
  {
    path: "appearance",
    label: "Appearance",
    group: "You",
    permission: null,
    also: ["dark mode", "light", "theme", "times", "UTC", "keyboard shortcuts"],
  },
  {
    path: "business",
    label: "Business profile",
    group: "Business",
    permission: "settings.manage",
    also: ["business name", "website", "support e-mail", "time zone", "logo", "receipts", "refund limit", "company"],
  },
  {
    path: "subscriptions",
    label: "Subscriptions",
    group: "Business",
    permission: "subscription.read",
    also: ["dunning", "retries", "failed payments", "customer e-mail", "customer portal", "receipts"],
  },
  {
    path: "processors",
    label: "Processors",
    group: "Business",
    permission: "settings.manage",
    also: ["Stripe", "Adyen", "connections", "routing rules", "reconciliation"],
  },
  {
    path: "team",
    label: "Team",
    group: "Business",
    permission: "team.manage",
    also: ["members", "roles", "invite", "users", "permissions"],
  },
  {
    path: "approvals",
    label: "Approvals",
    group: "Business",
    permission: "team.manage",
    also: ["rules", "refunds", "second person", "four eyes", "limits"],
  },
  {
    path: "activity",
    label: "Activity",
    group: "Business",
    permission: "settings.manage",
    also: ["audit log", "history", "who did what"],
  },
] as const;
