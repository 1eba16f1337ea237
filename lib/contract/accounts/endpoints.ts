import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { preferences } from "@/lib/contract/permissions";
import {
  businessAddress,
  businessName,
  emailAddress,
  givenCode,
  givenPassword,
  newPassword,
  supportEmail,
  taxNumber,
  timeZone,
  userName,
  website,
} from "./fields";
import { MAX_LOGO_TEXT } from "./logo";
import { HIGHEST_REFUND_LIMIT_USD } from "./refund-limit";

/** Account endpoints: a user's own sign-in, their business, and the public ones. */

/** Changes the user's own sign-in settings; every role may. */
export const updatePreferences = dashboardEndpoint({
  name: "updatePreferences",
  method: "PATCH",
  path: "/api/dashboard/preferences",
  permission: null,
  body: preferences,
  status: 200,
  response: preferences,
});

export const updateAccount = dashboardEndpoint({
  name: "updateAccount",
  costly: true,
  method: "PATCH",
  path: "/api/dashboard/account",
  permission: null,
  body: z.strictObject({
    name: userName,
    email: emailAddress,
    /** Required for a new e-mail address, which takes effect once it is verified. */
    current_password: givenPassword.optional(),
  }),
  status: 200,
  response: z.object({
    name: z.string(),
    email: z.string(),
    /** The new sign-in address, which takes effect once its mailed link is opened. */
    pending_email: z.string().nullable(),
  }),
});

/** Resends the link that verifies the user's address. */
export const resendVerification = dashboardEndpoint({
  name: "resendVerification",
  method: "POST",
  path: "/api/dashboard/account/verification",
  permission: null,
  status: 200,
  response: z.object({ email: z.string() }),
});

/** Step-up authentication for some minutes: by second factor, or by password for users without one. */
export const reauthenticate = dashboardEndpoint({
  name: "reauthenticate",
  costly: true,
  method: "POST",
  path: "/api/dashboard/account/proof",
  permission: null,
  body: z.strictObject({ current_password: givenPassword.optional(), code: givenCode.optional() }),
  status: 200,
  response: z.object({ minutes: z.int() }),
});

/** Ends all other sessions of the user. */
export const changePassword = dashboardEndpoint({
  name: "changePassword",
  costly: true,
  method: "POST",
  path: "/api/dashboard/account/password",
  permission: null,
  body: z.strictObject({ current_password: givenPassword, new_password: newPassword }),
  status: 200,
  response: z.object({ ended_sessions: z.int() }),
});

/** Creates a secret for an authenticator app. It takes effect once a code confirms it. */
export const beginSecondFactor = dashboardEndpoint({
  name: "beginSecondFactor",
  costly: true,
  method: "POST",
  path: "/api/dashboard/account/second-factor/begin",
  permission: null,
  body: z.strictObject({ current_password: givenPassword }),
  status: 200,
  response: z.object({ secret: z.string(), uri: z.string(), qr_svg: z.string() }),
});

const recoveryCodes = z.object({ recovery_codes: z.array(z.string()) });

export const confirmSecondFactor = dashboardEndpoint({
  name: "confirmSecondFactor",
  costly: true,
  method: "POST",
  path: "/api/dashboard/account/second-factor/confirm",
  permission: null,
  body: z.strictObject({ code: givenCode }),
  status: 200,
  response: recoveryCodes,
});

const confirmation = z.strictObject({ current_password: givenPassword, code: givenCode });

export const replaceRecoveryCodes = dashboardEndpoint({
  name: "replaceRecoveryCodes",
  costly: true,
  method: "POST",
  path: "/api/dashboard/account/second-factor/recovery-codes",
  permission: null,
  body: confirmation,
  status: 200,
  response: recoveryCodes,
});

export const disableSecondFactor = dashboardEndpoint({
  name: "disableSecondFactor",
  costly: true,
  method: "POST",
  path: "/api/dashboard/account/second-factor/disable",
  permission: null,
  body: confirmation,
  status: 200,
  response: z.object({}),
});

export const endSession = dashboardEndpoint({
  name: "endSession",
  method: "DELETE",
  path: "/api/dashboard/account/sessions/{id}",
  permission: null,
  status: 200,
  response: z.object({}),
});

export const endOtherSessions = dashboardEndpoint({
  name: "endOtherSessions",
  method: "DELETE",
  path: "/api/dashboard/account/sessions",
  permission: null,
  status: 200,
  response: z.object({ ended_sessions: z.int() }),
});

/**
 * Changes the given fields. Customers rely on name and support address, so changing them requires
 * re-authentication.
 */
export const updateBusiness = dashboardEndpoint({
  name: "updateBusiness",
  costly: true,
  method: "PATCH",
  path: "/api/dashboard/business",
  permission: "settings.manage",
  reauthentication: "always",
  body: z.strictObject({
    name: businessName.optional(),
    website: website.optional(),
    support_email: supportEmail.optional(),
    business_address: businessAddress.optional(),
    tax_number: taxNumber.optional(),
    time_zone: timeZone.optional(),
  }),
  status: 200,
  response: z.object({}),
});

/** Refunds up to this limit need no re-authentication, so changing it does. */
export const updateRefundLimit = dashboardEndpoint({
  name: "updateRefundLimit",
  method: "PATCH",
  path: "/api/dashboard/business/refund-limit",
  permission: "settings.manage",
  reauthentication: "always",
  body: z.strictObject({
    refund_limit_usd: z
      .int(`Enter whole US dollars, from 0 to ${HIGHEST_REFUND_LIMIT_USD.toLocaleString("en")}.`)
      .min(0, "Enter 0 or more.")
      .max(HIGHEST_REFUND_LIMIT_USD, `Enter at most ${HIGHEST_REFUND_LIMIT_USD.toLocaleString("en")}.`),
  }),
  status: 200,
  response: z.object({}),
});

/** Replaces the logo. Its type is detected from its bytes. */
export const replaceLogo = dashboardEndpoint({
  name: "replaceLogo",
  costly: true,
  method: "POST",
  path: "/api/dashboard/business/logo",
  permission: "settings.manage",
  body: z.strictObject({
    /** The file in base64. */
    image: z.string().min(1, "Choose a file.").max(MAX_LOGO_TEXT, "The file can be at most 256 kB."),
  }),
  // Accepts slightly larger bodies, so that an oversized file gets a specific error.
  maxBodyBytes: 2 * MAX_LOGO_TEXT,
  status: 200,
  response: z.object({ src: z.string(), width: z.int(), height: z.int() }),
});

export const removeLogo = dashboardEndpoint({
  name: "removeLogo",
  method: "DELETE",
  path: "/api/dashboard/business/logo",
  permission: "settings.manage",
  status: 200,
  response: z.object({}),
});

/**
 * Public endpoints. A sign-up responds identically if the address is already in use; only its mailbox is
 * notified.
 */
export const signUp = dashboardEndpoint({
  name: "signUp",
  method: "POST",
  path: "/api/sign-up",
  permission: null,
  body: z.strictObject({
    business_name: businessName,
    name: userName,
    email: emailAddress,
    password: newPassword,
    /** The browser's time zone. */
    time_zone: timeZone,
  }),
  status: 201,
  response: z.object({
    merchant_id: z.string(),
    user_id: z.string(),
    /** Signs this browser in once, as the address can't sign in before it is verified. */
    ticket: z.string(),
  }),
});

/** Verifies an address with its mailed link. */
export const verifyEmail = dashboardEndpoint({
  name: "verifyEmail",
  method: "POST",
  path: "/api/verify-email",
  permission: null,
  body: z.strictObject({
    token: z.string().min(1).max(100),
    /** Required if the caller isn't signed in as the user. */
    password: givenPassword.optional(),
  }),
  status: 200,
  response: z.object({ email: z.string() }),
});

/** Responds identically for unknown addresses. */
export const forgotPassword = dashboardEndpoint({
  name: "forgotPassword",
  method: "POST",
  path: "/api/forgot-password",
  permission: null,
  body: z.strictObject({ email: emailAddress }),
  status: 200,
  response: z.object({ email: z.string() }),
});

/** Sets a password with a mailed link: a reset, or a new team member's first. */
export const choosePassword = dashboardEndpoint({
  name: "choosePassword",
  method: "POST",
  path: "/api/reset-password",
  permission: null,
  body: z.strictObject({
    token: z.string().min(1).max(100),
    password: newPassword,
    /** For invitations. */
    name: userName.optional(),
  }),
  status: 200,
  response: z.object({ email: z.string() }),
});
