import { expect, test } from "vitest";
import { users } from "@/db/schema/accounts";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext, testTenant } from "@/e2e/fixtures/factories";
import { MAX_SAVED_VIEWS, type SavedViewList, savedView } from "@/lib/contract/lists/saved-views";
import { newId } from "@/lib/ids";
import { createSavedView, deleteSavedView, listSavedViews, updateSavedView } from "./saved-views";

const { db } = await testDatabase();

async function person(merchantId: string, name: string): Promise<string> {
  const id = newId();
  await db.orm.insert(users).values({
    id,
    merchant_id: merchantId,
    email: `${id}@example.com`,
    name,
    password_hash: "none",
    role: "viewer",
  });
  return id;
}

async function team() {
  const { call, merchant, stranger: otherMerchant, service } = await testTenant(db);
  const [anna, ben] = [await person(merchant.id, "Anna"), await person(merchant.id, "Ben")];
  const carl = await person(otherMerchant.id, "Carl");
  return { call, merchant, elsewhere: testContext(service, otherMerchant.test), anna, ben, carl };
}

const canShare = true;
const list: SavedViewList = "transactions";
const view = {
  list,
  name: "Large declines",
  query: "status=DECLINED&min=500",
  columns: ["amount", "status"],
  shared: false,
};

test("a view is stored unchanged, for its owner only", async () => {
  const { call, anna, ben } = await team();
  const created = await createSavedView(call(), { ...view, userId: anna, canShare });
  expect(savedView.strict().parse(created)).toMatchObject({ ...view, mine: true, owner: "Anna" });
  expect(await listSavedViews(call(), { userId: anna, list })).toEqual([created]);
  expect(await listSavedViews(call(), { userId: ben, list })).toEqual([]);
});

test("a shared view is listed for the team after their own, and for no other merchant", async () => {
  const { call, merchant, elsewhere, anna, ben, carl } = await team();
  const shared = await createSavedView(call(), { ...view, shared: true, userId: anna, canShare });
  const own = await createSavedView(call(), { ...view, userId: ben, canShare });
  expect(await listSavedViews(call(), { userId: ben, list })).toEqual([own, { ...shared, mine: false }]);
  expect(await listSavedViews(elsewhere, { userId: carl, list })).toEqual([]);
  expect(await listSavedViews(call({ environment: merchant.live }), { userId: ben, list })).toEqual([]);
});

test("only its owner changes or deletes it: for others it does not exist", async () => {
  const { call, merchant, elsewhere, anna, ben, carl } = await team();
  const { id } = await createSavedView(call(), { ...view, shared: true, userId: anna, canShare });
  const others = [
    [call(), ben],
    [elsewhere, carl],
    [call({ environment: merchant.live }), anna],
  ] as const;
  for (const [ctx, userId] of others) {
    await expect(updateSavedView(ctx, { id, userId, canShare, name: "Mine" })).rejects.toMatchObject({
      code: "resource_not_found",
    });
    await expect(deleteSavedView(ctx, { id, userId })).rejects.toMatchObject({ code: "resource_not_found" });
  }
  expect(
    await updateSavedView(call(), { id, userId: anna, canShare, name: "Renamed", shared: false, columns: null }),
  ).toMatchObject({ id, name: "Renamed", shared: false, columns: null, query: view.query });
  expect(await deleteSavedView(call(), { id, userId: anna })).toEqual({ id, deleted: true });
  expect(await listSavedViews(call(), { userId: anna, list })).toEqual([]);
  await expect(deleteSavedView(call(), { id, userId: anna })).rejects.toMatchObject({ code: "resource_not_found" });
});

test("a user has each name once, ignoring case, also with concurrent requests", async () => {
  const { call, anna, ben } = await team();
  const taken = { code: "invalid_parameter", param: "name" };
  const results = await Promise.allSettled(
    ["Large declines", "LARGE DECLINES", "large declines"].map((name) =>
      createSavedView(call(), { ...view, name, userId: anna, canShare }),
    ),
  );
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
  for (const result of results) if (result.status === "rejected") expect(result.reason).toMatchObject(taken);
  const other = await createSavedView(call(), { ...view, name: "Other", userId: anna, canShare });
  await expect(
    updateSavedView(call(), { id: other.id, userId: anna, canShare, name: "large DECLINES" }),
  ).rejects.toMatchObject(taken);
  await createSavedView(call(), { ...view, userId: ben, canShare });
});

test("views are limited per user", async () => {
  const { call, anna } = await team();
  for (let i = 0; i < MAX_SAVED_VIEWS; i++)
    await createSavedView(call(), { ...view, name: `View ${i}`, userId: anna, canShare });
  await expect(createSavedView(call(), { ...view, name: "One more", userId: anna, canShare })).rejects.toMatchObject({
    code: "invalid_parameter",
  });
});

test("concurrently saved views stay within the limit", async () => {
  const { call, anna } = await team();
  for (let i = 0; i < MAX_SAVED_VIEWS - 1; i++)
    await createSavedView(call(), { ...view, name: `${i}`, userId: anna, canShare });
  const answers = await Promise.allSettled(
    Array.from({ length: 5 }, (_, i) =>
      createSavedView(call(), { ...view, name: `at once ${i}`, userId: anna, canShare }),
    ),
  );
  expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await listSavedViews(call(), { userId: anna, list })).toHaveLength(MAX_SAVED_VIEWS);
});

test("a viewer's views are private, and a former member can stop sharing", async () => {
  const { call, anna } = await team();
  const [viewer, denied] = [{ userId: anna, canShare: false } as const, { code: "permission_denied" }];
  await expect(createSavedView(call(), { ...view, ...viewer, shared: true })).rejects.toMatchObject(denied);
  const own = await createSavedView(call(), { ...view, ...viewer });
  await expect(updateSavedView(call(), { ...viewer, id: own.id, shared: true })).rejects.toMatchObject(denied);
  const shared = await createSavedView(call(), { ...view, name: "Before", userId: anna, canShare, shared: true });
  await expect(updateSavedView(call(), { ...viewer, id: shared.id, query: "page=2" })).rejects.toMatchObject(denied);
  expect(await updateSavedView(call(), { ...viewer, id: shared.id, shared: false })).toMatchObject({ shared: false });
});
