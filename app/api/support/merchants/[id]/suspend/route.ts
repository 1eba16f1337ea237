import { suspendMerchant } from "@/lib/contract/support/operations";
import { suspendMerchant as suspend } from "@/lib/domain/support/suspend-merchants";
import { serve, supportRoutes } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = supportRoutes(
  serve(suspendMerchant, async (call, input) => {
    const id = call.params.id ?? "";
    await suspend(call, { id, ...input });
    return { id, suspended: true };
  }),
);
