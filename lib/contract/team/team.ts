import { z } from "zod";
import { emailAddress, userName } from "@/lib/contract/accounts/fields";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { merchantRole } from "@/lib/contract/permissions";

/**
 * Grants a session that may move money, so like a change of role it requires the inviter's re-authentication.
 */
export const inviteMember = dashboardEndpoint({
  name: "inviteMember",
  costly: true,
  method: "POST",
  path: "/api/dashboard/team",
  permission: "team.manage",
  verified: "always",
  reauthentication: "always",
  body: z.strictObject({ email: emailAddress, name: userName.optional(), role: merchantRole }),
  status: 201,
  response: z.object({ id: z.string() }),
});

/** Resends the invitation with a new link. */
export const resendInvitation = dashboardEndpoint({
  name: "resendInvitation",
  method: "POST",
  path: "/api/dashboard/team/{id}/resend",
  permission: "team.manage",
  verified: "always",
  reauthentication: "always",
  status: 200,
  response: z.object({}),
});

export const changeRole = dashboardEndpoint({
  name: "changeRole",
  method: "PATCH",
  path: "/api/dashboard/team/{id}",
  permission: "team.manage",
  reauthentication: "always",
  body: z.strictObject({ role: merchantRole }),
  status: 200,
  response: z.object({}),
});

export const removeMember = dashboardEndpoint({
  name: "removeMember",
  method: "DELETE",
  path: "/api/dashboard/team/{id}",
  permission: "team.manage",
  reauthentication: "always",
  status: 200,
  response: z.object({}),
});
