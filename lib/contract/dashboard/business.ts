import { z } from "zod";
import { businessName, supportEmail, timeZone, website } from "@/lib/contract/account-fields";
import { dashboardOperation } from "@/lib/contract/dashboard-operation";

/** Changes what is given. */
export const updateBusiness = dashboardOperation({
  name: "updateBusiness",
  method: "PATCH",
  path: "/api/dashboard/business",
  permission: "settings.manage",
  body: z.strictObject({
    name: businessName.optional(),
    website: website.optional(),
    support_email: supportEmail.optional(),
    time_zone: timeZone.optional(),
  }),
  status: 200,
  response: z.object({}),
});
