import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findNodeClient } from "@/lib/http/node-client";
import { buildNodeClient, writePackage } from "@/lib/server/build-node-client";

const folder = mkdtempSync(join(tmpdir(), "cardlane-package-"));
const shop = join(folder, "shop");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (program: string, args: readonly string[], cwd: string) =>
  execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    shell: program === "npm" && process.platform === "win32",
  });

/** The service's tarball, installed without network or cache. */
let tarball: string;
beforeAll(async () => {
  tarball = await buildNodeClient(resolve("."), folder);
  mkdirSync(shop);
  writeFileSync(join(shop, "package.json"), '{ "private": true }\n');
  run("npm", ["install", "--offline", "--cache", join(folder, "cache"), tarball], shop);
});

test("the tarball's URL changes only with its content", async () => {
  expect(tarball).toMatch(/public.sdk.node-1\.0\.0-[\da-f]{12}\.tgz$/);
  expect(await buildNodeClient(resolve("."), folder)).toBe(tarball);
  expect(findNodeClient(folder)).toBe(`/sdk/${basename(tarball)}`);
});

test("the tarball contains what npm would publish, and has no dependencies", async () => {
  const source = join(folder, "source");
  mkdirSync(source);
  await writePackage(resolve("."), source);
  const [{ files }] = JSON.parse(run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], source)) as [
    { files: { path: string }[] },
  ];
  const installed = join(shop, "node_modules", "@cardlane", "node");
  expect(files.length).toBeGreaterThan(10);
  for (const { path } of files) {
    expect(readFileSync(join(installed, path), "utf8"), path).toBe(readFileSync(join(source, path), "utf8"));
  }
  const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    dependencies?: object;
  };
  expect(dependencies).toBeUndefined();
  const built = readFileSync(join(installed, "dist", "esm", "index.js"), "utf8");
  expect([...built.matchAll(/from "([^"]+)"/g)].filter(([, name]) => !name?.startsWith("node:"))).toEqual([]);
});

test.each([
  ["shop.mjs", 'import { Cardlane, CardlaneError } from "@cardlane/node";'],
  ["shop.cjs", 'const { Cardlane, CardlaneError } = require("@cardlane/node");'],
])("%s loads it and gets its typed errors", (file, line) => {
  writeFileSync(
    join(shop, file),
    `${line}
    const answer = async () => Response.json({ code: "rate_limited", detail: "Later." }, { status: 429 });
    const cardlane = new Cardlane({ apiKey: "sk_test_x", maxRetries: 0, fetch: answer });
    cardlane.payments.list().catch((error) => console.log(error instanceof CardlaneError, error.name, error.code));`,
  );
  expect(run(process.execPath, [file], shop).trim()).toBe("true RateLimitError rate_limited");
});

const TYPED = `
import { Cardlane, CardDeclinedError, type Event, type Payment } from "@cardlane/node";
const cardlane = new Cardlane({ apiKey: "sk_test_x" });
export async function shop(): Promise<Payment> {
  for await (const transaction of cardlane.transactions.list({ status: "CAPTURED" })) transaction.amount.toFixed();
  const { data, response } = await cardlane.payments.get("pay_1").withResponse();
  response.requestId?.slice();
  // @ts-expect-error the amount is missing
  await cardlane.payments.create({ currency: "USD" });
  // @ts-expect-error there is no such member
  await cardlane.payments.refund("pay_1", { ammount: 5 });
  return data;
}
export function told(event: Event): number | undefined {
  if (event.type === "refund.failed") return event.data.object.amount_refundable;
  if (event.type === "payment.captured") return event.data.previous?.amount_captured;
  // @ts-expect-error a plan has no amount that was captured
  if (event.type === "subscription_plan.created") return event.data.object.amount_captured;
  return undefined;
}
export const why = (error: unknown) => (error instanceof CardDeclinedError ? error.declineCode === "lost_card" : false);
`;

test.each([
  ["node16", ["shop.mts", "shop.cts"]],
  ["bundler", ["shop.ts"]],
])("its types hold under moduleResolution %s, in %j", (moduleResolution, files) => {
  for (const file of files) writeFileSync(join(shop, file), TYPED);
  const modules = moduleResolution === "bundler" ? "esnext" : "node16";
  const options = ["--noEmit", "--strict", "--target", "es2022", "--types", "", "--module", modules];
  const tsc = resolve("node_modules", "typescript", "bin", "tsc");
  run(process.execPath, [tsc, ...options, "--moduleResolution", moduleResolution, ...files], shop);
});
