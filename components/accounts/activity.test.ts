import { expect, test } from "vitest";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { ROLE_PERMISSIONS } from "@/lib/contract/permissions";
import { STAFF_ACTS } from "@/lib/contract/support/staff-acts";
import { type ActivityItem, actionText, activityDetails } from "./activity";

const item = (detail: ActivityItem["detail"]): ActivityItem => ({
  ...{ id: "aud_1", at: "2026-11-21T10:00:00.000Z", actor: { type: "user", name: "Ada" } },
  ...{ action: "x.y", mode: null, objectId: null, detail },
});

test("an action without words of its own is readable", () => {
  expect(actionText("api_key.revoked")).toBe("Revoked an API key");
  expect(actionText("support.capturePayment")).toBe("Capture payment");
  expect(actionText("team.something_new")).toBe("Something new");
});

test("everything that staff may do in a merchant's environment has words, for the merchant and for the staff", () => {
  const allowed = ENDPOINTS.filter(({ permissions }) =>
    permissions.some((permission) => ROLE_PERMISSIONS.staff.includes(permission)),
  );
  expect(allowed.length).toBeGreaterThan(5);
  for (const { name } of allowed) {
    expect(STAFF_ACTS).toHaveProperty([`support.${name}`]);
    expect(actionText(`support.${name}`)).toMatch(/ed |^Read /);
  }
});

test("changes show both values, and a reason stands last", () => {
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
