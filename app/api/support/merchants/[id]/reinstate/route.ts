import { reinstateMerchant } from "@/lib/contract/support/operations";
import { reinstateMerchant as reinstate } from "@/lib/domain/support/suspend-merchants";
import { serve, supportRoutes } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = supportRoutes(
  serve(reinstateMerchant, async (call, input) => {
    const id = call.params.id ?? "";
    await reinstate(call, { id, ...input });
    return { id, suspended: false };
  }),
);
