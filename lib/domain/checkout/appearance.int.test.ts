import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { actsOf, testUsers } from "@/e2e/fixtures/users";
import * as checkout from "@/lib/contract/checkout/endpoints";
import { getCheckoutAppearance, updateCheckoutAppearance } from "./appearance";

const { db } = await testDatabase();

test("an appearance is stored for its environment only, and each change is audited once", async () => {
  const { newUser, merchant, call, stranger: otherMerchant } = await testUsers(db);
  const { ctx } = await newUser("owner");
  expect(await getCheckoutAppearance(ctx)).toBeNull();
  const appearance = { preset: "soft", accent_color: "#7a1fa2" } as const;
  expect(await updateCheckoutAppearance(ctx, { appearance })).toEqual(appearance);
  expect(await getCheckoutAppearance(ctx)).toEqual(appearance);
  for (const environment of [merchant.live, otherMerchant.test]) {
    expect(await getCheckoutAppearance(call({ environment }))).toBeNull();
  }
  // The same appearance again is no change.
  await updateCheckoutAppearance(ctx, { appearance: { accent_color: "#7a1fa2", preset: "soft" } });
  await updateCheckoutAppearance(ctx, { appearance: { accent_color: "#7a1fa2", border_radius: 0 } });
  expect(await getCheckoutAppearance(ctx)).toEqual({ accent_color: "#7a1fa2", border_radius: 0 });
  await updateCheckoutAppearance(ctx, { appearance: null });
  expect(await getCheckoutAppearance(ctx)).toBeNull();
  expect(await actsOf(db, merchant.live.id)).toEqual([
    {
      action: "settings.checkout_appearance_updated",
      detail: { mode: "test", changes: { preset: [null, "soft"], accent_color: [null, "#7a1fa2"] } },
    },
    {
      action: "settings.checkout_appearance_updated",
      detail: { mode: "test", changes: { preset: ["soft", null], border_radius: [null, 0] } },
    },
    {
      action: "settings.checkout_appearance_updated",
      detail: { mode: "test", changes: { accent_color: ["#7a1fa2", null], border_radius: [0, null] } },
    },
  ]);
});

test("an empty appearance is Cardlane's own", async () => {
  const { newUser } = await testUsers(db);
  const { ctx } = await newUser("owner");
  expect(await updateCheckoutAppearance(ctx, { appearance: {} })).toBeNull();
  expect(await getCheckoutAppearance(ctx)).toBeNull();
});

test("an unreadable or invalid appearance is refused", () => {
  const { body } = checkout.updateCheckoutAppearance;
  const wrongOf = (appearance: unknown) =>
    body.safeParse({ appearance }).error?.issues.map(({ path }) => path.join("."));
  expect(wrongOf(null)).toBeUndefined();
  expect(wrongOf({ preset: "night", font_family: "Georgia, 'Times New Roman', serif" })).toBeUndefined();
  expect(wrongOf({ background_color: "#ffffff", text_color: "#999999" })).toEqual(["appearance.text_color"]);
  expect(wrongOf({ accent_color: "#fff" })).toEqual(["appearance.accent_color"]);
  for (const odd of [{ accent_color: "red" }, { border_radius: 25 }, { font_family: "x;}" }, { unknown: 1 }, []]) {
    expect(wrongOf(odd)?.[0]).toMatch(/^appearance/);
  }
});
