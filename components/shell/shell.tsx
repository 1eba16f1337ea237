import Link from "next/link";
import type { ReactNode } from "react";
import { RoleViewBanner } from "@/components/team/role-view";
import { Badge } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Logo } from "@/components/ui/page-header";
import type { DashboardData } from "@/lib/client/dashboard-context";
import { TimeDisplayProvider } from "@/lib/client/time-display";
import { MAX_COUNTED_REQUESTS } from "@/lib/contract/approvals/words";
import { type MerchantRole, ROLE_LABELS } from "@/lib/contract/permissions";
import { TestBanner, UnverifiedBanner } from "./banners";
import { KeepTitle } from "./keep-title";
import { ModeSwitch, NavFold, NavLink, NavSheet } from "./nav";
import { openTo, SHELL_PAGES, type ShellPage } from "./pages";
import { SearchButton } from "./search-button";
import { ShellDialogs } from "./shell-dialogs";
import { UserMenu } from "./user-menu";

/** Frame of every dashboard page. */
export function Shell({ children, ...data }: DashboardData & { children: ReactNode }) {
  const { mode, merchant, user, preferences, clock } = data;
  const navigation = <Navigation {...data} />;
  return (
    <TimeDisplayProvider times={preferences.times ?? "local"} timeZone={merchant.timeZone} clock={clock}>
      <ShellDialogs shortcuts={preferences.shortcuts ?? true}>
        <KeepTitle />
        <a href="#content" className="skip-link">
          Skip to content
        </a>
        <div className="shell" data-mode={mode}>
          <aside className="sticky top-0 hidden h-dvh flex-col border-r bg-raised lg:flex print:hidden!">
            {navigation}
          </aside>
          <div className="flex min-w-0 flex-col">
            <header className="sticky top-0 z-20 short:static">
              <div className="flex h-12 items-center gap-1 border-b bg-ground px-2 lg:hidden print:hidden">
                <NavSheet>{navigation}</NavSheet>
                <Link href={`/${mode}`} className="mr-auto rounded px-1.5 py-1" aria-label="Cardlane, overview">
                  <Logo />
                </Link>
                <SearchButton compact />
              </div>
              {user.isRoleView && <RoleViewBanner label={ROLE_LABELS[user.role as MerchantRole]} />}
              {mode === "test" && (
                <TestBanner clock={clock} mayAdvance={data.permissions.includes("test_clock.write")} />
              )}
            </header>
            <main id="content" tabIndex={-1} className="w-full flex-1 px-4 py-6 outline-none sm:px-6 lg:px-8">
              {merchant.suspended && (
                <Banner tone="red" title="This account is suspended" className="mb-5">
                  Payments are blocked. You can still view everything. Contact support.
                </Banner>
              )}
              {!user.emailVerified && <UnverifiedBanner email={user.email} days={data.unverifiedAccountDays} />}
              {children}
            </main>
          </div>
        </div>
      </ShellDialogs>
    </TimeDisplayProvider>
  );
}

function Navigation({ mode, merchant, user, permissions, approvals }: DashboardData) {
  const opened = openTo(SHELL_PAGES, (permission) => permissions.includes(permission));
  // Most teams have no rule: their menu is shorter by it, and the key and the palette still open the page.
  const pages = opened.filter(({ path }) => path !== APPROVALS || approvals !== null);
  const counts = { [APPROVALS]: approvals ?? 0 };
  const developers = pages.filter(({ group }) => group === "developers");
  const inMode = (path: string) => `/${mode}${path}`;
  return (
    <>
      <div className="flex flex-col gap-3 px-3 pt-3 pb-2">
        <Link
          href={`/${mode}`}
          className="flex h-8 items-center rounded px-2 max-lg:hidden"
          aria-label="Cardlane, overview"
        >
          <Logo />
        </Link>
        <ModeSwitch mode={mode} />
        <SearchButton />
      </div>
      <nav aria-label="Dashboard" className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-3 py-2">
        <PageLinks mode={mode} pages={pages} group="main" counts={counts} />
        <PageLinks mode={mode} pages={pages} group="selling" />
        <NavFold
          label="Developers"
          paths={developers.flatMap(({ path, sections = [] }) => [path, ...sections]).map(inMode)}
          apart={developers.flatMap(({ apart = [] }) => apart).map(inMode)}
        >
          <PageLinks mode={mode} pages={pages} group="developers" />
        </NavFold>
        <div className="mt-auto">
          <PageLinks mode={mode} pages={pages} group="account" />
        </div>
      </nav>
      <div className="border-t p-2">
        <UserMenu mode={mode} merchantName={merchant.name} user={user} />
      </div>
    </>
  );
}

const APPROVALS = "/approvals";

function NavCount({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <Badge tone="accent" className="ml-auto">
      {count > MAX_COUNTED_REQUESTS ? `${MAX_COUNTED_REQUESTS}+` : count}
      <span className="sr-only"> to decide</span>
    </Badge>
  );
}

type PageLinksProps = {
  mode: string;
  pages: readonly ShellPage[];
  group: ShellPage["group"];
  /** Number of items that wait for the user, by path. */
  counts?: Readonly<Record<string, number>>;
};

function PageLinks({ mode, pages, group, counts = {} }: PageLinksProps) {
  return (
    <ul className="flex flex-col gap-px">
      {pages
        .filter((page) => page.group === group)
        .map(({ label, path, icon: Icon, sections = [], apart = [] }) => (
          <li key={label}>
            <NavLink
              href={`/${mode}${path}`}
              exact={path === ""}
              sections={sections.map((section) => `/${mode}${section}`)}
              apart={apart.map((section) => `/${mode}${section}`)}
            >
              <Icon aria-hidden="true" />
              {label}
              <NavCount count={counts[path] ?? 0} />
            </NavLink>
          </li>
        ))}
    </ul>
  );
}
