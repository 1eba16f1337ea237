import { beforeAll, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { cookieOf, testUsers } from "@/e2e/fixtures/users";
import type { DashboardEndpoint } from "@/lib/contract/endpoint";
import { ENDPOINTS as API_ENDPOINTS } from "@/lib/contract/endpoints";
import { MERCHANT_ROLES, type MerchantRole, ROLE_PERMISSIONS, type UserRole } from "@/lib/contract/permissions";
import { newId } from "@/lib/ids";
import { provideService } from "./current-service";
import { DASHBOARD_ENDPOINTS, dashboardRoutes } from "./dashboard-endpoints";
import { nextRoutes } from "./dispatch";

const { db } = await testDatabase();
const users = await testUsers(db);
beforeAll(() => void provideService(users.service));

const ENDPOINTS = DASHBOARD_ENDPOINTS.map(({ endpoint }) => endpoint);
const OF_MERCHANTS = ENDPOINTS.filter(({ path }) => path.startsWith("/api/dashboard/"));
const OF_STAFF = ENDPOINTS.filter(({ path }) => path.startsWith("/api/support/"));

/**
 * Endpoints open to every role, repeated here on purpose: a new one is for owners and admins only until it is
 * added here.
 */
const VIEWER_ENDPOINTS = [
  ...["updatePreferences", "updateAccount", "resendVerification", "reauthenticate", "changePassword"],
  ...["beginSecondFactor", "confirmSecondFactor", "replaceRecoveryCodes", "disableSecondFactor"],
  ...["endSession", "endOtherSessions", "getIdempotencyKey", "getPaymentDetail", "sumTransactions"],
  ...["listSavedViews", "createSavedView", "updateSavedView", "deleteSavedView", "updateReportMail"],
  "listNotes",
  ...["listPaymentApprovals", "withdrawRequest"],
];
const OF_COLLEAGUES = ["createNote", "updateNote", "deleteNote", "createApprovalRequest"];
const OF_OPERATORS = [
  ...VIEWER_ENDPOINTS,
  ...OF_COLLEAGUES,
  "sendReceipt",
  "getClockPresets",
  "createPaymentLink",
  "updatePaymentLink",
  "previewNewSubscription",
];
const OF_THE_TEAM = [
  ...["inviteMember", "resendInvitation", "changeRole", "removeMember"],
  ...["updateRefundRule", "updateRoleRule"],
];
const OF_APPROVERS = ["approveRequest", "rejectRequest"];
const OPEN_TO: Record<MerchantRole, readonly string[]> = {
  viewer: VIEWER_ENDPOINTS,
  admin: OF_MERCHANTS.map(({ name }) => name).filter((name) => !OF_THE_TEAM.includes(name)),
  operator: OF_OPERATORS,
  finance: [...VIEWER_ENDPOINTS, ...OF_COLLEAGUES, ...OF_APPROVERS, "sendReceipt", "retryPayout"],
  support: [...VIEWER_ENDPOINTS.filter((name) => name !== "updateReportMail"), ...OF_COLLEAGUES, "sendReceipt"],
  developer: [
    ...VIEWER_ENDPOINTS,
    ...OF_COLLEAGUES,
    "getClockPresets",
    ...["createApiKey", "updateApiKey", "rotateApiKey", "disableApiKey", "enableApiKey", "revokeApiKey"],
    "collectKey",
  ],
  owner: OF_MERCHANTS.map(({ name }) => name),
};

let callers = 0;

/** Sends no body and made-up ids, so that an allowed request changes nothing. Each has an address of its own: limits count refusals. */
async function statusOf({ method, path }: DashboardEndpoint, headers: Record<string, string>): Promise<number> {
  const address = path.replace("{mode}", "test").replaceAll(/\{\w+\}/g, "made-up");
  const from = `192.0.2.${callers++ % 200}`;
  const own = { "sec-fetch-site": "same-origin", "x-forwarded-for": from, ...headers };
  return (await dashboardRoutes[method](new Request(`http://dashboard.test${address}`, { method, headers: own })))
    .status;
}

/** Names of the endpoints that don't refuse these credentials with this status. */
async function letThrough(endpoints: readonly DashboardEndpoint[], refusal: number, headers: Record<string, string>) {
  const names: string[] = [];
  for (const endpoint of endpoints) if ((await statusOf(endpoint, headers)) !== refusal) names.push(endpoint.name);
  return names.sort();
}

const signedIn = async (role: UserRole) => ({ cookie: await cookieOf(users.service, await users.newUser(role)) });

test.each(MERCHANT_ROLES)("no endpoint of the dashboard gives a %s access to another's objects", async (role) => {
  expect(await letThrough(OF_MERCHANTS, 403, await signedIn(role))).toEqual([...OPEN_TO[role]].sort());
});

test.each(MERCHANT_ROLES)("the buttons of a %s reach those endpoints of the API that the role is for", async (role) => {
  const { cookie } = await signedIn(role);
  const refused: string[] = [];
  for (const { name, method, path } of API_ENDPOINTS) {
    const address = `http://dashboard.test${path.replace("{id}", "made-up")}`;
    const own = { "sec-fetch-site": "same-origin", "x-cardlane-mode": "test", "x-idempotency-key": newId() };
    const response = await nextRoutes[method](new Request(address, { method, headers: { cookie, ...own } }));
    if (response.status === 403) {
      expect(await response.json(), name).toMatchObject({ code: "permission_denied" });
      refused.push(name);
    } else await response.body?.cancel();
  }
  const forbidden = API_ENDPOINTS.filter(
    ({ permissions }) => permissions.length > 0 && !permissions.some((each) => ROLE_PERMISSIONS[role].includes(each)),
  );
  expect(refused.sort()).toEqual(forbidden.map(({ name }) => name).sort());
});

test("merchants, staff and visitors can't act as each other, and other sites can't act as any", async () => {
  const [owner, staff] = [await signedIn("owner"), await signedIn("staff")];
  for (const headers of [{}, staff]) expect(await letThrough(OF_MERCHANTS, 401, headers as never)).toEqual([]);
  for (const headers of [{}, owner]) expect(await letThrough(OF_STAFF, 401, headers as never)).toEqual([]);
  const writes = (endpoints: readonly DashboardEndpoint[]) => endpoints.filter(({ method }) => method !== "GET");
  for (const site of ["cross-site", "same-site", "none", "same-origin, same-origin"]) {
    const foreign = { "sec-fetch-site": site };
    expect(await letThrough(writes(OF_MERCHANTS), 403, { ...owner, ...foreign })).toEqual([]);
    expect(await letThrough(writes(OF_STAFF), 403, { ...staff, ...foreign })).toEqual([]);
  }
});
