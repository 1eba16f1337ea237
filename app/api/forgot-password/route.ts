import { forgotPassword } from "@/lib/contract/accounts/operations";
import { requestPasswordReset } from "@/lib/domain/accounts/password";
import { publicRoutes, serve } from "@/lib/http/dashboard-route";

export const { POST } = publicRoutes(
  serve(forgotPassword, async ({ service, request }, { email }) => {
    await requestPasswordReset(service, { email, address: request.address });
    return { email };
  }),
);
