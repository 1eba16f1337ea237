import { proveStaff } from "@/lib/contract/support/operations";
import { proveAgain } from "@/lib/domain/accounts/proof";
import { type SupportCall, serve, supportRoutes } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = supportRoutes(
  serve(proveStaff, ({ service, staff }: SupportCall, { code }) =>
    proveAgain({ service, actor: { type: "staff", id: staff.userId } }, { person: staff, code }),
  ),
);
