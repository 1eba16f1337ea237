import { encodeId } from "@/lib/contract/ids";
import { inviteMember } from "@/lib/contract/team/team";
import { inviteMember as invite } from "@/lib/domain/team/team";
import { type DashboardCall, dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { POST } = dashboardRoutes(
  serve(inviteMember, async ({ ctx }: DashboardCall, { email, name, role }) => {
    return { id: encodeId("user", await invite(ctx, { email, name: name ?? null, role })) };
  }),
);
