import type { ReactNode } from "react";
import { ProofHost } from "@/components/accounts/proof-host";
import { MoneyHost } from "@/components/payments/money-host";
import { Shell } from "@/components/shell/shell";
import { DashboardProvider, QueryProvider } from "@/lib/client/dashboard-context";
import { encodeId } from "@/lib/contract/ids";
import { env } from "@/lib/env";
import { dashboardPage } from "@/lib/http/page";

type DashboardLayoutProps = { children: ReactNode; params: Promise<{ mode: string }> };

export default async function DashboardLayout({ children, params }: DashboardLayoutProps) {
  const { person, merchant, mode } = await dashboardPage((await params).mode);
  const data = {
    mode,
    merchant: {
      id: encodeId("merchant", merchant.id),
      name: merchant.name,
      timeZone: merchant.timeZone,
      suspended: merchant.suspended,
    },
    person: {
      userId: encodeId("user", person.userId),
      email: person.email,
      name: person.name,
      role: person.role,
      emailVerified: person.emailVerified,
    },
    unprovedAccountDays: env.unprovedAccountDays,
    permissions: [...person.permissions],
    preferences: person.preferences,
  };
  return (
    <QueryProvider>
      <DashboardProvider data={data}>
        <Shell {...data}>
          <MoneyHost />
          <ProofHost path="/api/dashboard/account/proof" />
          {children}
        </Shell>
      </DashboardProvider>
    </QueryProvider>
  );
}
