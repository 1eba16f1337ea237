import { z } from "zod";
import {
  businessName,
  emailAddress,
  givenPassword,
  newPassword,
  personName,
  timeZone,
} from "@/lib/contract/account-fields";
import { dashboardOperation } from "@/lib/contract/dashboard-operation";

/**
 * What anybody can ask for without being signed in. An account is opened the same way whether or not somebody has the address:
 * only its mailbox is told.
 */
export const signUp = dashboardOperation({
  name: "signUp",
  method: "POST",
  path: "/api/sign-up",
  permission: null,
  body: z.strictObject({
    business_name: businessName,
    name: personName,
    email: emailAddress,
    password: newPassword,
    /** The browser's. */
    time_zone: timeZone,
  }),
  status: 201,
  response: z.object({
    merchant_id: z.string(),
    user_id: z.string(),
    /** Signs the browser in, once: the address does not sign anybody in before it is proved. */
    ticket: z.string(),
  }),
});

/** Proves an address with the link that was mailed to it. */
export const verifyEmail = dashboardOperation({
  name: "verifyEmail",
  method: "POST",
  path: "/api/verify-email",
  permission: null,
  body: z.strictObject({
    token: z.string().min(1).max(100),
    /** Where the person is not signed in. */
    password: givenPassword.optional(),
  }),
  status: 200,
  response: z.object({ email: z.string() }),
});

/** Says the same whether or not somebody has the address. */
export const forgotPassword = dashboardOperation({
  name: "forgotPassword",
  method: "POST",
  path: "/api/forgot-password",
  permission: null,
  body: z.strictObject({ email: emailAddress }),
  status: 200,
  response: z.object({ email: z.string() }),
});

/** Chooses a password with the link of a mail: after forgetting it, or as a new member of a team. */
export const choosePassword = dashboardOperation({
  name: "choosePassword",
  method: "POST",
  path: "/api/reset-password",
  permission: null,
  body: z.strictObject({
    token: z.string().min(1).max(100),
    password: newPassword,
    /** For invitations. */
    name: personName.optional(),
  }),
  status: 200,
  response: z.object({ email: z.string() }),
});
