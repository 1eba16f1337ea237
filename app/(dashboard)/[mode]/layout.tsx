import type { ReactNode } from "react";
import { ReauthenticationHost } from "@/components/accounts/reauthentication-host";
import { MoneyHost } from "@/components/payments/money-host";
import { WebhookBanner } from "@/components/shell/banners";
import { Shell } from "@/components/shell/shell";
import { DashboardProvider, QueryProvider } from "@/lib/client/dashboard-context";
import { encodeId } from "@/lib/contract/ids";
import { findMenuCount } from "@/lib/domain/approvals/requests";
import { listNoticed } from "@/lib/domain/webhooks/failing-endpoints";
import { env } from "@/lib/env";
import { mailRouteOfPage } from "@/lib/http/outbox";
import { dashboardPage } from "@/lib/http/page";

type DashboardLayoutProps = { children: ReactNode; params: Promise<{ mode: string }> };

export default async function DashboardLayout({ children, params }: DashboardLayoutProps) {
  const { ctx, user, merchant, mode, can } = await dashboardPage((await params).mode);
  const noticed = can("webhook_endpoint.read") ? await listNoticed(ctx) : [];
  const data = {
    mode,
    merchant: {
      id: encodeId("merchant", merchant.id),
      name: merchant.name,
      timeZone: merchant.timeZone,
      suspended: merchant.suspended,
    },
    user: {
      userId: encodeId("user", user.userId),
      email: user.email,
      name: user.name,
      role: user.role,
      isRoleView: user.isRoleView,
      emailVerified: user.emailVerified,
    },
    unverifiedAccountDays: env.unverifiedAccountDays,
    mail: await mailRouteOfPage(),
    permissions: [...user.permissions],
    approvals: can("approval.request") ? await findMenuCount(ctx, user) : null,
    clock: ctx.environment.clock,
    preferences: user.preferences,
  };
  return (
    <QueryProvider>
      <DashboardProvider data={data}>
        <Shell {...data}>
          <MoneyHost />
          <ReauthenticationHost />
          {noticed.length > 0 && <WebhookBanner path={`/${mode}/developers/webhooks`} endpoints={noticed} />}
          {children}
        </Shell>
      </DashboardProvider>
    </QueryProvider>
  );
}
