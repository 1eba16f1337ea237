import { signUp } from "@/lib/contract/accounts/operations";
import { encodeId } from "@/lib/contract/ids";
import { signUp as openAccount } from "@/lib/domain/accounts/sign-up";
import { publicRoutes, serve } from "@/lib/http/dashboard-route";

export const { POST } = publicRoutes(
  serve(signUp, async ({ service, request }, input) => {
    const { merchantId, userId, ticket } = await openAccount(service, {
      businessName: input.business_name,
      name: input.name,
      email: input.email,
      password: input.password,
      timeZone: input.time_zone,
      address: request.address,
      requestId: request.id,
    });
    return { merchant_id: encodeId("merchant", merchantId), user_id: encodeId("user", userId), ticket };
  }),
);
