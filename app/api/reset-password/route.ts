import { choosePassword } from "@/lib/contract/accounts/operations";
import { choosePassword as choose } from "@/lib/domain/accounts/password";
import { publicRoutes, serve } from "@/lib/http/dashboard-route";

export const { POST } = publicRoutes(
  serve(choosePassword, ({ service, request }, { token, password, name }) =>
    choose(service, { token, password, name: name ?? null, address: request.address, requestId: request.id }),
  ),
);
