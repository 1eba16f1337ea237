import { getMerchantKey } from "@/lib/contract/support/operations";
import { getMerchantKey as get } from "@/lib/domain/support/merchants";
import { type SupportCall, serve, supportRoutes } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = supportRoutes(
  serve(getMerchantKey, (call: SupportCall, { key }) => get(call, { environmentId: call.params.id ?? "", key })),
);
