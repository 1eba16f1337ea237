import { z } from "zod";
import { businessName, supportEmail, timeZone, website } from "@/lib/contract/account-fields";
import { dashboardOperation } from "@/lib/contract/dashboard-operation";
import { HIGHEST_REFUND_LIMIT_USD } from "@/lib/contract/proof";

/** Changes what is given. */
export const updateBusiness = dashboardOperation({
  name: "updateBusiness",
  costly: true,
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

/** Up to what a person's refunds ask for no proof; so a change of it does. */
export const updateRefundLimit = dashboardOperation({
  name: "updateRefundLimit",
  method: "PATCH",
  path: "/api/dashboard/business/refund-limit",
  permission: "settings.manage",
  proof: "always",
  body: z.strictObject({
    refund_limit_usd: z
      .int(`Enter whole US dollars, from 0 to ${HIGHEST_REFUND_LIMIT_USD.toLocaleString("en")}.`)
      .min(0, "Enter 0 or more.")
      .max(HIGHEST_REFUND_LIMIT_USD, `Enter at most ${HIGHEST_REFUND_LIMIT_USD.toLocaleString("en")}.`),
  }),
  status: 200,
  response: z.object({}),
});
