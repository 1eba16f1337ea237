import { changeRole, removeMember } from "@/lib/contract/team/team";
import { changeRole as change, removeMember as remove } from "@/lib/domain/team/team";
import { dashboardRoutes, serve } from "@/lib/http/dashboard-route";

export const { PATCH, DELETE } = dashboardRoutes(
  serve(changeRole, async ({ ctx, params }, { role }) => {
    await change(ctx, { id: params.id ?? "", role });
    return {};
  }),
  serve(removeMember, async ({ ctx, params }) => {
    await remove(ctx, { id: params.id ?? "" });
    return {};
  }),
);
