import { z } from "zod";
import { emailAddress, givenCode, givenPassword, newPassword, personName } from "@/lib/contract/account-fields";
import { dashboardOperation } from "@/lib/contract/dashboard-operation";
import { preferences } from "@/lib/contract/roles";

/** What a person changes about their own sign-in; every role may. */
export const updatePreferences = dashboardOperation({
  name: "updatePreferences",
  method: "PATCH",
  path: "/api/dashboard/preferences",
  permission: null,
  body: preferences,
  status: 200,
  response: preferences,
});

export const updateAccount = dashboardOperation({
  name: "updateAccount",
  costly: true,
  method: "PATCH",
  path: "/api/dashboard/account",
  permission: null,
  body: z.strictObject({
    name: personName,
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
export const resendVerification = dashboardOperation({
  name: "resendVerification",
  method: "POST",
  path: "/api/dashboard/account/verification",
  permission: null,
  status: 200,
  response: z.object({ email: z.string() }),
});

/** Proves who the person is, for some minutes: by second factor, or by the password of those who have none. */
export const proveAgain = dashboardOperation({
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
export const changePassword = dashboardOperation({
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
export const beginSecondFactor = dashboardOperation({
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

export const confirmSecondFactor = dashboardOperation({
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

export const replaceRecoveryCodes = dashboardOperation({
  name: "replaceRecoveryCodes",
  costly: true,
  method: "POST",
  path: "/api/dashboard/account/second-factor/recovery-codes",
  permission: null,
  body: proof,
  status: 200,
  response: recoveryCodes,
});

export const disableSecondFactor = dashboardOperation({
  name: "disableSecondFactor",
  costly: true,
  method: "POST",
  path: "/api/dashboard/account/second-factor/disable",
  permission: null,
  body: proof,
  status: 200,
  response: z.object({}),
});

export const endSession = dashboardOperation({
  name: "endSession",
  method: "DELETE",
  path: "/api/dashboard/account/sessions/{id}",
  permission: null,
  status: 200,
  response: z.object({}),
});

export const endOtherSessions = dashboardOperation({
  name: "endOtherSessions",
  method: "DELETE",
  path: "/api/dashboard/account/sessions",
  permission: null,
  status: 200,
  response: z.object({ ended_sessions: z.int() }),
});
