import { describe, expect, test } from "vitest";
import { otherModePath } from "./other-mode-path";

const ID = "01m7z6tpx1f3wbxbn8mrhee3tk";
const live = (path: string, search = "") => otherModePath(path, new URLSearchParams(search), "live");

describe("otherModePath", () => {
  test("keeps the page", () => {
    expect(live("/test")).toBe("/live");
    expect(live("/test/settings/security")).toBe("/live/settings/security");
    expect(live("/test/plans/new")).toBe("/live/plans/new");
  });

  test("keeps filters, but nothing that belongs to one environment", () => {
    expect(live("/test/transactions", "status=DECLINED&brand=visa")).toBe(
      "/live/transactions?status=DECLINED&brand=visa",
    );
    expect(live("/test/transactions", `status=DECLINED&page=4&panel=pay_${ID}&view=x&subscription=sub_${ID}`)).toBe(
      "/live/transactions?status=DECLINED",
    );
  });

  test("leads from the page of one object to its list", () => {
    expect(live(`/test/payments/pay_${ID}`, "tab=events")).toBe("/live/transactions");
    expect(live(`/test/transactions/txn_${ID}`)).toBe("/live/transactions");
    expect(live(`/test/plans/plan_${ID}/edit`)).toBe("/live/plans");
  });
});
