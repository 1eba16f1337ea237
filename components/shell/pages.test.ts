import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { SETTINGS_PAGES } from "@/components/accounts/settings-nav";
import { MERCHANT_ROLES, type MerchantRole, ROLE_PERMISSIONS } from "@/lib/contract/permissions";
import { INNER_PAGES } from "./inner-pages";
import { openTo, SHELL_PAGES } from "./pages";
import { SHELL_KEYS } from "./shell-dialogs";

const app = fileURLToPath(new URL("../../app/(dashboard)/[mode]", import.meta.url));
const sourceOf = (path: string) => readFileSync(join(app, path === "" ? "(overview)" : path, "page.tsx"), "utf8");
/** The permission that a page requires. */
const askedBy = (path: string) => /(?:if \(!|\{)page\.can\("([a-z_.]+)"\)/.exec(sourceOf(path))?.[1] ?? null;

/** Repeated here on purpose: a change of a role's permissions must show what it hides. */
const HIDDEN_FROM: Record<MerchantRole, readonly string[]> = {
  owner: [],
  admin: [],
  operator: ["API keys", "Webhooks"],
  finance: ["API keys", "Webhooks"],
  support: ["Payouts", "Reports", "API keys", "Webhooks", "Events"],
  developer: [],
  viewer: ["Approvals", "API keys", "Webhooks"],
};

describe("the navigation", () => {
  test.each(SHELL_PAGES.filter(({ group }) => group !== "account"))(
    "offers $label to those who may open it",
    (page) => {
      expect(page.permission).toBe(askedBy(page.path));
    },
  );

  test.each(SETTINGS_PAGES)("of the settings offers $label to those who may open it", ({ path, permission }) => {
    expect(permission).toBe(askedBy(`settings/${path}`));
  });

  test.each(INNER_PAGES)("of the pages within others, the palette offers $label to those who may open it", (page) => {
    expect(page.permission).toBe(askedBy(page.path));
  });

  test("has the same pages behind the keys", () => {
    expect(SHELL_KEYS).toEqual(
      Object.fromEntries(SHELL_PAGES.map(({ key, path, permission }) => [key, [path, permission]])),
    );
  });

  test.each(MERCHANT_ROLES)("shows a role (%s) only the pages that it may open", (role) => {
    const labels = openTo(SHELL_PAGES, (permission) => ROLE_PERMISSIONS[role].includes(permission)).map(
      ({ label }) => label,
    );
    const hidden = SHELL_PAGES.map(({ label }) => label).filter((label) => !labels.includes(label));
    expect(hidden).toEqual(HIDDEN_FROM[role]);
  });
});

test("the palette knows every page with a fixed URL", () => {
  const files = readdirSync(app, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("/page.tsx"));
  const paths = files.filter((file) => !/[[(]/.test(file)).map((file) => `/${file.slice(0, -"/page.tsx".length)}`);
  expect(paths.length).toBeGreaterThan(20);
  const known = [
    ...SHELL_PAGES.map(({ path }) => path),
    ...INNER_PAGES.map(({ path }) => path),
    ...SETTINGS_PAGES.map(({ path }) => `/settings/${path}`),
  ];
  expect(paths.filter((path) => !known.includes(path))).toEqual([]);
});
