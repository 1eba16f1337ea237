"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useMemo, useState } from "react";
import type { MailRoute } from "@/lib/contract/accounts/fields";
import type { Preferences, UserPermission, UserRole } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import { ApiError } from "./api";
import type { ClientClock } from "./test-clock/clock";

export type DashboardData = {
  mode: Mode;
  merchant: { id: string; name: string; timeZone: string; suspended: boolean };
  user: {
    userId: string;
    email: string;
    name: string | null;
    role: UserRole;
    /** True while an owner views the dashboard as this role. */
    isRoleView: boolean;
    emailVerified: boolean;
  };
  /** Days that an account may keep test data with an unverified address; 0 = unlimited. */
  unverifiedAccountDays: number;
  /** Destination of e-mail. */
  mail: MailRoute;
  permissions: UserPermission[];
  /** Requests that the user may decide; null while nobody's acts need approval. */
  approvals: number | null;
  /** The environment's test clock; null = real time. */
  clock: ClientClock;
  preferences: Preferences;
};

type Dashboard = DashboardData & { can(permission: UserPermission): boolean };

const DashboardContext = createContext<Dashboard | null>(null);

/** User and environment for everything below the shell. Ids are public ones. */
export function DashboardProvider({ data, children }: { data: DashboardData; children: ReactNode }) {
  const value = useMemo(
    () => ({ ...data, can: (permission: UserPermission) => data.permissions.includes(permission) }),
    [data],
  );
  return <DashboardContext value={value}>{children}</DashboardContext>;
}

/** Throws outside the dashboard. */
export function useDashboard(): Dashboard {
  const value = use(DashboardContext);
  if (!value) throw new Error("useDashboard needs a DashboardProvider above it");
  return value;
}

const RETRIES = 2;

/** One response cache per browser tab. Refusals aren't retried, as the result would be the same. */
export function QueryProvider({ children }: { children: ReactNode }) {
  const [client] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          queries: {
            staleTime: 1_000,
            retry: (failures, error) =>
              failures < RETRIES && !(error instanceof ApiError && error.status < 500 && error.status !== 429),
          },
          mutations: { retry: false },
        },
      }),
  );
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
