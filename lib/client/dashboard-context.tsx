"use client";

import { createContext, type ReactNode, use, useMemo } from "react";
import type { Preferences, UserPermission, UserRole } from "@/lib/contract/roles";
import type { Mode } from "@/lib/contract/transaction-words";

export type DashboardData = {
  mode: Mode;
  merchant: { id: string; name: string; timeZone: string; suspended: boolean };
  person: { userId: string; email: string; name: string | null; role: UserRole; emailVerified: boolean };
  /** How long an account may have test data without a proved address; 0 = as long as it likes. */
  unprovedAccountDays: number;
  permissions: UserPermission[];
  preferences: Preferences;
};

export type Dashboard = DashboardData & { can(permission: UserPermission): boolean };

const DashboardContext = createContext<Dashboard | null>(null);

/** Who works in which environment, for everything below the shell. Ids are public ones. */
export function DashboardProvider({ data, children }: { data: DashboardData; children: ReactNode }) {
  const value = useMemo(
    () => ({ ...data, can: (permission: UserPermission) => data.permissions.includes(permission) }),
    [data],
  );
  return <DashboardContext value={value}>{children}</DashboardContext>;
}

/** Throws outside of the dashboard. */
export function useDashboard(): Dashboard {
  const value = use(DashboardContext);
  if (!value) throw new Error("useDashboard needs a DashboardProvider above it");
  return value;
}
