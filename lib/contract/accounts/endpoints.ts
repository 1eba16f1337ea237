import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { preferences } from "@/lib/contract/permissions";
import {
  businessName,
  emailAddress,
  givenCode,
  givenPassword,
  newPassword,
  supportEmail,
  timeZone,
  userName,
  website,
} from "./fields";
import { MAX_LOGO_TEXT } from "./logo";
import { HIGHEST_REFUND_LIMIT_USD } from "./proof";

/** Endpoints of accounts: a person's own sign-in, their business, and what anybody can call. */

/** What a person changes about their own sign-in; every role may. */
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
    /** Needed for another e-mail address, which counts once it is proved. */
    current_password: givenPassword.optional(),
  }),
  status: 200,
  response: z.object({
    name: z.string(),
    email: z.string(),
    /** The address they sign in with once they open the link that was sent to it. */
    pending_email: z.string().nullable(),
  }),
});

/** Sends the link that proves the person's address again. */
export const resendVerification = dashboardEndpoint({
  name: "resendVerification",
  method: "POST",
  path: "/api/dashboard/account/verification",
  permission: null,
  status: 200,
  response: z.object({ email: z.string() }),
});

/** Proves who the person is, for some minutes: by second factor, or by the password of those who have none. */
export const proveAgain = dashboardEndpoint({
  name: "proveAgain",
  costly: true,
  method: "POST",
  path: "/api/dashboard/account/proof",
  permission: null,
  body: z.strictObject({ current_password: givenPassword.optional(), code: givenCode.optional() }),
  status: 200,
  response: z.object({ minutes: z.int() }),
});

/** Ends all other sessions of the person. */
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

/** A new secret for an authenticator app. It counts once a code of it was given. */
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

const proof = z.strictObject({ current_password: givenPassword, code: givenCode });

export const replaceRecoveryCodes = dashboardEndpoint({
  name: "replaceRecoveryCodes",
  costly: true,
  method: "POST",
  path: "/api/dashboard/account/second-factor/recovery-codes",
  permission: null,
  body: proof,
  status: 200,
  response: recoveryCodes,
});

export const disableSecondFactor = dashboardEndpoint({
  name: "disableSecondFactor",
  costly: true,
  method: "POST",
  path: "/api/dashboard/account/second-factor/disable",
  permission: null,
  body: proof,
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

/** Changes what is given. Customers trust the name and write to the support address, so a change of them takes a proof. */
export const updateBusiness = dashboardEndpoint({
  name: "updateBusiness",
  costly: true,
  method: "PATCH",
  path: "/api/dashboard/business",
  permission: "settings.manage",
  proof: "always",
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
export const updateRefundLimit = dashboardEndpoint({
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

/** Puts a picture in the place of the logo. What it is, is read from its bytes. */
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
  // A file that is somewhat too large is told so in its own words.
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
 * What anybody can ask for without being signed in. An account is opened the same way whether or not somebody has the address:
 * only its mailbox is told.
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
export const verifyEmail = dashboardEndpoint({
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
export const forgotPassword = dashboardEndpoint({
  name: "forgotPassword",
  method: "POST",
  path: "/api/forgot-password",
  permission: null,
  body: z.strictObject({ email: emailAddress }),
  status: 200,
  response: z.object({ email: z.string() }),
});

/** Chooses a password with the link of a mail: after forgetting it, or as a new member of a team. */
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
