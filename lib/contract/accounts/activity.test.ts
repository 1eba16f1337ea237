import { expect, test } from "vitest";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { EVENT_TYPES } from "@/lib/contract/events/event";
import { ROLE_PERMISSIONS } from "@/lib/contract/permissions";
import { STAFF_ACTS } from "@/lib/contract/support/staff-acts";
import { type ActivityItem, actionText, activityDetails } from "./activity";
import { ACTIVITY_AREAS, ACTS_BESIDES_SETTINGS, activityFilterRows, parseActivity } from "./activity-filters";

const item = (detail: ActivityItem["detail"]): ActivityItem => ({
  id: "aud_1",
  at: "2026-11-21T10:00:00.000Z",
  actor: { type: "user", name: "Ada" },
  action: "x.y",
  mode: null,
  objectId: null,
  money: null,
  detail,
});

test("an action without its own description is readable", () => {
  expect(actionText("api_key.revoked")).toBe("Revoked an API key");
  expect(actionText("support.capturePayment")).toBe("Capture payment");
  expect(actionText("team.something_new")).toBe("Something new");
});

test("every staff action in a merchant's environment has a description for the merchant and for staff", () => {
  const allowed = ENDPOINTS.filter(({ permissions }) =>
    permissions.some((permission) => ROLE_PERMISSIONS.staff.includes(permission)),
  );
  expect(allowed.length).toBeGreaterThan(5);
  for (const { name } of allowed) {
    expect(STAFF_ACTS).toHaveProperty([`support.${name}`]);
    expect(actionText(`support.${name}`)).toMatch(/ed |^Read /);
  }
});

test("changes show both values, and the reason comes last", () => {
  expect(activityDetails(item(null))).toEqual([]);
  expect(
    activityDetails(
      item({ changes: { website: [null, "https://a.example"], time_zone: ["UTC", "Asia/Tokyo"] }, reason: "Moved" }),
    ),
  ).toEqual(["Website: none → https://a.example", "Time zone: UTC → Asia/Tokyo", "Reason: Moved"]);
  const changes = { expires_at: [null, "2027-01-01T00:00:00.000Z"], ip_allow_list: ["10.0.0.0/8", ""] };
  expect(activityDetails(item({ changes }))).toEqual([
    "Expires: never → Fri, Jan 1, 2027, 00:00:00 UTC",
    "Addresses: 10.0.0.0/8 → any",
  ]);
  expect(activityDetails(item({ email: "a@b.example", role: "viewer" }))).toEqual(["a@b.example", "Role: viewer"]);
});

test("every act of users has a description and belongs to one area", () => {
  const events = EVENT_TYPES.map((type) => type.replace("subscription_plan.", "plan."));
  const kinds = /^(payment|refund|payment_method|subscription|invoice|plan|client_session|webhook_endpoint|api_key)\./;
  // Other than users cause these.
  const others =
    /settled|externally|reversed|partially|payment\.refunded|updated|expiring|trial_will|completed|expired/;
  for (const action of events.filter((type) => kinds.test(type) && !others.test(type))) {
    expect(actionText(action), action).toMatch(/^[A-Z][a-z]+(ed|t|an|e) |^Gave up/);
    expect(areasOf(action), action).toHaveLength(1);
  }
  expect(areasOf("settings.second_factor_enabled")).toEqual(["security"]);
  expect(areasOf("settings.transactions_exported")).toEqual(["exports"]);
  expect(areasOf("settings.payout_retried")).toEqual(["payouts"]);
  expect(areasOf("settings.business_updated")).toEqual(["settings"]);
  expect(areasOf("payment_link.created")).toEqual(["links"]);
});

const isLike = (text: string, pattern: string) =>
  new RegExp(`^${pattern.replaceAll("\\_", "_").replaceAll(".", "\\.").replaceAll("%", ".*")}$`).test(text);

function areasOf(action: string): string[] {
  const areas = Object.entries(ACTIVITY_AREAS).filter(([, { acts }]) => acts.some((act) => isLike(action, act)));
  const isOwn = ACTS_BESIDES_SETTINGS.some((act) => isLike(action, act));
  return areas.map(([area]) => area).filter((area) => area !== "settings" || !isOwn);
}

test("an address is read into a query, and what cannot be read is named", () => {
  const rows = activityFilterRows([{ id: "usr_1", name: "Ada" }]);
  const read = (address: string) => parseActivity(rows, new URLSearchParams(address));
  expect(read("area=payments&who=usr_1&created=2026-11-20&before=aud_1&format=csv")).toEqual({
    query: { area: "payments", who: "usr_1", created: { from: "2026-11-20", to: "2026-11-20" } },
    problems: [],
  });
  expect(read("who=support").query).toEqual({ who: "support" });
  expect(read("area=weather&who=usr_2&created=soon").problems.map(({ param }) => param)).toEqual([
    "area",
    "who",
    "created",
  ]);
});
