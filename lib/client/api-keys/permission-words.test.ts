import { expect, test } from "vitest";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { PERMISSION_GROUPS, PERMISSION_PRESETS, permissionSummary, presetOf } from "./permission-words";

test("every permission is in one group and has a description", () => {
  const named = PERMISSION_GROUPS.flatMap((group) => group.permissions);
  expect(named.map(({ permission }) => permission).toSorted()).toEqual([...PERMISSIONS].toSorted());
  for (const words of named) {
    expect(words.label).not.toBe("");
    expect(words.sentence).toMatch(/\.$/);
  }
});

test("the read-only preset changes nothing, full access has every permission, and all presets differ", () => {
  const preset = (id: string) => PERMISSION_PRESETS.find((candidate) => candidate.id === id)?.permissions ?? [];
  expect(preset("full").toSorted()).toEqual([...PERMISSIONS].toSorted());
  expect(preset("read_only")).toHaveLength(12);
  for (const permission of preset("read_only")) expect(permission).toMatch(/\.(read|search)$/);
  for (const { permissions, id } of PERMISSION_PRESETS) expect(presetOf(permissions.toReversed())?.id).toBe(id);
});

test("permissions are summarized in words", () => {
  expect(permissionSummary(PERMISSIONS)).toBe("Full access");
  expect(permissionSummary(["transaction.refund"])).toBe("Refund");
  expect(permissionSummary(["transaction.refund", "payment.create", "event.read"])).toBe("Create payments and 2 more");
});
