import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

/** One forbidden import per line of the diagram: the file, and the import. */
const FORBIDDEN = [
  ["app/page.tsx", "@/db/client"],
  ["app/v1/payments/route.ts", "@/db/queries/payments"],
  ["app/page2.tsx", "drizzle-orm"],
  ["components/payments/table.tsx", "@/db/queries/payments"],
  ["components/payments/form.tsx", "@/lib/domain/payments/refund"],
  ["components/payments/list.tsx", "@/lib/http/route"],
  ["components/checkout/payment-form/card.tsx", "@/lib/client/fetch"],
  ["components/checkout/payment-form/pay.tsx", "@/components/payments/table"],
  ["lib/client/call.ts", "@/lib/domain/payments/refund"],
  ["lib/http/route.ts", "drizzle-orm"],
  ["lib/http/parse.ts", "@/app/page"],
  ["lib/domain/payments/refund.ts", "next/headers"],
  ["lib/domain/payments/void.ts", "@/lib/http/route"],
  ["lib/domain/payments/capture.ts", "../../http/route"],
  ["lib/domain/payments/create.ts", "drizzle-orm"],
  ["lib/processor/sandbox.ts", "@/lib/domain/payments/refund"],
  ["db/queries/payments/payments.ts", "@/lib/domain/payments/refund"],
  ["db/queries/plans.ts", "@/lib/log"],
  ["lib/contract/plans/plan.ts", "@/lib/env"],
  ["lib/contract/fields.ts", "uuidv7"],
  ["lib/contract/ids.ts", "../ids"],
  ["lib/events/outbox.ts", "../../db/client"],
  ["lib/domain/money.ts", "@/e2e/fixtures/database"],
  ["packages/node/src/payments.ts", "@/lib/contract/payments/payment"],
  ["packages/node/src/retries.ts", "zod"],
] as const;

const ALLOWED = [
  ["app/sign-in/page.tsx", "@/lib/domain/plans/list"],
  ["components/plans/list.tsx", "@/lib/contract/plan"],
  ["components/checkout/payment-form/form.tsx", "@/lib/client/checkout/payment-form/texts"],
  ["components/demo/shop.tsx", "@/public/sdk/v1"],
  ["lib/client/checkout/sdk/v1.ts", "@/public/sdk/v1"],
  ["lib/domain/plans/list.ts", "@/db/queries/plans"],
  ["db/queries/keys.ts", "@/lib/contract/ids"],
  ["db/embedded.ts", "@/lib/env"],
  ["db/pool.ts", "@/lib/semaphore"],
  ["lib/contract/payments/payment.ts", "./transaction"],
  ["lib/contract/transactions/transaction.ts", "zod"],
  ["lib/contract/plan.test.ts", "vitest"],
  ["packages/node/src/webhooks.ts", "node:crypto"],
  ["packages/node/src/index.ts", "./errors.ts"],
] as const;

const CYCLE = [
  ["lib/jobs/one.ts", "./two"],
  ["lib/jobs/two.ts", "./one"],
] as const;

const TYPE_CYCLE = [
  ["lib/jobs/three.ts", "./four"],
  ["lib/jobs/four.ts", "./three"],
] as const;

const root = mkdtempSync(join(tmpdir(), "cardlane-imports-"));
const reported = new Map<string, string>();

beforeAll(() => {
  const config = readFileSync(resolve(".oxlintrc.json"), "utf8").replace(/"options": \{[^}]*\},/, "");
  writeFileSync(join(root, ".oxlintrc.json"), config);
  writeFileSync(join(root, "tsconfig.json"), "{}");
  // The linter resolves its plugins from this folder.
  symlinkSync(resolve("node_modules"), join(root, "node_modules"), "junction");
  for (const [file, specifier] of [...FORBIDDEN, ...ALLOWED, ...CYCLE]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), `import { thing } from "${specifier}";\nexport const value = thing;\n`);
  }
  for (const [file, specifier] of TYPE_CYCLE)
    writeFileSync(join(root, file), `import type { Thing } from "${specifier}";\nexport type Value = Thing;\n`);
  for (const { filename, code } of lint()) reported.set(filename, code);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

function lint(): { filename: string; code: string }[] {
  const oxlint = resolve("node_modules/oxlint/bin/oxlint");
  try {
    execFileSync(process.execPath, [oxlint, "--format=json", "--ignore-pattern=node_modules"], {
      cwd: root,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return [];
  } catch (error) {
    return JSON.parse(String((error as { stdout: Buffer }).stdout)).diagnostics;
  }
}

test.each(FORBIDDEN)("%s must not import %s", (file) => {
  expect(reported.get(file)).toBe("eslint(no-restricted-imports)");
});

test.each(ALLOWED)("%s may import %s", (file) => {
  expect(reported.get(file)).toBeUndefined();
});

test("modules that import each other, or each other's types, are reported", () => {
  for (const cycle of [CYCLE, TYPE_CYCLE])
    expect(cycle.map(([file]) => reported.get(file))).toEqual(["import(no-cycle)", "import(no-cycle)"]);
});
