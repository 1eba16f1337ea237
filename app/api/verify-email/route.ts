import { verifyEmail } from "@/lib/contract/accounts/operations";
import { verifyEmail as verify } from "@/lib/domain/accounts/sign-up";
import { type PublicCall, publicRoutes, serve } from "@/lib/http/dashboard-route";
import { signedIn } from "@/lib/http/session-caller";

export const { GET, POST, PATCH, DELETE } = publicRoutes(
  serve(verifyEmail, async ({ service, request, cookies }: PublicCall, { token, password }) => {
    const found = await signedIn(cookies, "merchant");
    const from = { address: request.address, requestId: request.id };
    return verify(service, { token, password: password ?? null, signedInAs: found?.person.userId ?? null, ...from });
  }),
);
