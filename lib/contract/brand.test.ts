import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COLORS } from "./brand";

const read = (path: string) => readFileSync(path, "utf8").toLowerCase();

test("the icon has the brand's colors", () => {
  const icon = read("public/favicon.svg");
  expect(icon).toContain(`fill="${COLORS.accent[0]}"`);
  expect(icon).toContain(`stroke="${COLORS["on-accent"][0]}"`);
});

test("no other file repeats a brand color", () => {
  const ours = new Set(
    Object.values(COLORS)
      .flat()
      .filter((color) => color !== "#ffffff"),
  );
  const files = ["app", "components", "lib"]
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`))
    .filter((path) => /\.(css|tsx?)$/.test(path) && !/brand\.ts$|\.test\.ts$/.test(path));
  expect(files.length).toBeGreaterThan(300);
  const again = files.flatMap((path) => (read(path).match(/#[0-9a-f]{6}\b/g) ?? []).map((color) => ({ path, color })));
  expect(again.filter(({ color }) => ours.has(color as never))).toEqual([]);
});
