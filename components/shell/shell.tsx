import type { ReactNode } from "react";
import type { DashboardData } from "@/lib/client/dashboard-context";

/** Stand-in until the shell's own file is written over this one. */
export function Shell({ children }: DashboardData & { children: ReactNode }) {
  return <main className="p-6">{children}</main>;
}
