import { unlockPerson } from "@/lib/contract/support/operations";
import { unlockPerson as unlock } from "@/lib/domain/support/suspend-merchants";
import { serve, supportRoutes } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = supportRoutes(
  serve(unlockPerson, async (call, input) => {
    const { id = "", user = "" } = call.params;
    await unlock(call, { merchantId: id, userId: user, ...input });
    return { id: user };
  }),
);
