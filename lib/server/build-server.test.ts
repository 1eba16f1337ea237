import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { serverBundle } from "./build-server";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("the built service imports only production dependencies", async () => {
  const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { dependencies: object };
  const { metafile } = await build({ ...serverBundle(root), metafile: true, write: false });
  const paths = Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter((one) => one.external));
  const packages = new Set(
    paths.filter(({ path }) => !path.startsWith("node:")).map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0]),
  );
  expect(packages.size).toBeGreaterThan(10);
  expect([...packages].filter((name) => !((name as string) in dependencies))).toEqual([]);
});
