import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";

/**
 * Sources that `npm start` builds and runs. Developers have devDependencies installed and wouldn't notice a
 * wrong import.
 */
const SOURCES = [
  ...["app", "components", "lib", "db"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  ),
  ...["next.config.ts", "postcss.config.mjs", "instrumentation.ts", "proxy.ts"],
  ...readdirSync("scripts").map((name) => join("scripts", name)),
].filter((path) => /\.(tsx?|[mc]js|mdx|css)$/.test(path) && !/\.test\.tsx?$/.test(path));

/** Developer tools, which `npm start` doesn't run. */
const TOOLS = /^scripts\/(prove|screenshots|check-types|steps|test|trim-|size-budget)/;

const IMPORTS = /(?:\bfrom|\bimport|@import|@plugin|\bimport\(|\brequire\() ?"([^"]+)"/g;
const packageOf = (specifier: string) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
const isPackage = (specifier: string) => /^[a-z]|^@[a-z]/.test(specifier) && !isBuiltin(specifier);

const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { devDependencies: object };

test("building and starting import no development dependency", () => {
  const imports = SOURCES.filter((path) => !TOOLS.test(path)).flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(IMPORTS)].map(([, specifier = ""]) => ({ path, specifier })),
  );
  const packages = imports.filter(({ specifier }) => isPackage(specifier));
  expect(new Set(packages.map(({ specifier }) => packageOf(specifier))).size).toBeGreaterThan(30);
  expect(packages.filter(({ specifier }) => packageOf(specifier) in devDependencies)).toEqual([]);
});

test("a start installs at most 450 packages, on all platforms together", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, { dev?: true }>;
  };
  const needed = Object.entries(packages).filter(([path, { dev }]) => path !== "" && !dev);
  expect(needed.length).toBeLessThanOrEqual(450);
});
