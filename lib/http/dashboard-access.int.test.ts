import { beforeAll, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { cookieOf, testUsers } from "@/e2e/fixtures/users";
import type { DashboardEndpoint } from "@/lib/contract/endpoint";
import { MERCHANT_ROLES, type MerchantRole, type UserRole } from "@/lib/contract/permissions";
import { provideService } from "./current-service";
import { DASHBOARD_ENDPOINTS, dashboardRoutes } from "./dashboard-endpoints";

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
];
const OF_COLLEAGUES = ["createNote", "updateNote", "deleteNote"];
const OF_OPERATORS = [
  ...VIEWER_ENDPOINTS,
  ...OF_COLLEAGUES,
  "sendReceipt",
  "getClockPresets",
  "createPaymentLink",
  "updatePaymentLink",
  "previewNewSubscription",
];
const OF_THE_TEAM = ["inviteMember", "resendInvitation", "changeRole", "removeMember"];
const OPEN_TO: Record<MerchantRole, readonly string[]> = {
  viewer: VIEWER_ENDPOINTS,
  admin: OF_MERCHANTS.map(({ name }) => name).filter((name) => !OF_THE_TEAM.includes(name)),
  operator: OF_OPERATORS,
  finance: [...VIEWER_ENDPOINTS, ...OF_COLLEAGUES, "sendReceipt", "retryPayout"],
  support: [...VIEWER_ENDPOINTS.filter((name) => name !== "updateReportMail"), ...OF_COLLEAGUES, "sendReceipt"],
  developer: [
    ...VIEWER_ENDPOINTS,
    ...OF_COLLEAGUES,
    "getClockPresets",
    ...["createApiKey", "updateApiKey", "rotateApiKey", "disableApiKey", "enableApiKey", "revokeApiKey"],
  ],
  owner: OF_MERCHANTS.map(({ name }) => name),
};

/** Sends no body and made-up ids, so that an allowed request changes nothing. */
async function statusOf({ method, path }: DashboardEndpoint, headers: Record<string, string>): Promise<number> {
  const address = path.replace("{mode}", "test").replaceAll(/\{\w+\}/g, "made-up");
  const own = { "sec-fetch-site": "same-origin", ...headers };
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
