import { parse } from "csv-parse/sync";
import { beforeEach, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { cookieOf, testUsers } from "@/e2e/fixtures/users";
import { updateBusiness } from "@/lib/domain/accounts/business";
import { activityExportRoute } from "./activity-export";
import { provideService } from "./current-service";

const { db } = await testDatabase();
const { service, newUser } = await testUsers(db);

beforeEach(() => void provideService(service));

async function fileOf(cookie: string, query = "") {
  const address = `http://dashboard.test/test/settings/activity/export${query}`;
  return activityExportRoute(new Request(address, { headers: { cookie } }), "test");
}

test("the activity is a file, whose own export it has, for those who may see it", async () => {
  const owner = await newUser("owner", { name: "Ada" });
  await updateBusiness(owner.ctx, { name: "Renamed" });
  const response = await fileOf(await cookieOf(service, owner), "?who=nobody");
  expect([response.status, (await response.json()).errors]).toEqual([400, [expect.objectContaining({ param: "who" })]]);
  const file = await fileOf(await cookieOf(service, owner), "?area=settings&format=csv");
  expect([file.status, file.headers.get("X-Total-Count")]).toEqual([200, "1"]);
  const rows: Record<string, string>[] = parse(await file.text(), { columns: true });
  expect(rows).toMatchObject([
    { who: "Ada", action: "settings.business_updated", what: "Changed the business profile", amount: "" },
  ]);
  const all: Record<string, string>[] = parse(await (await fileOf(await cookieOf(service, owner))).text(), {
    columns: true,
  });
  expect(all.map(({ action }) => action)).toEqual([
    "settings.activity_exported",
    "settings.activity_exported",
    "settings.business_updated",
  ]);
  const refused = await fileOf(await cookieOf(service, await newUser("viewer")));
  expect(refused.status).toBe(403);
});
