import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { accountingReport } from "@/e2e/doubles/adyen/accounting-report";
import { adyenTenant } from "@/e2e/doubles/adyen/tenant";
import { testDatabase } from "@/e2e/fixtures/database";
import { TEST_SECRET } from "@/e2e/fixtures/factories";
import { encodeId } from "@/lib/contract/ids";
import { main } from "./reconcile";

const { db, url } = await testDatabase();
const folder = mkdtempSync(join(tmpdir(), "reconcile-"));
afterAll(() => rmSync(folder, { recursive: true }));

for (const [name, value] of Object.entries({ DATABASE_URL: url, CARDLANE_SECRET: TEST_SECRET, DATA_DIR: folder }))
  vi.stubEnv(name, value);

async function reconcile(...options: string[]) {
  const ran = { code: 0, out: "", err: "" };
  ran.code = await main(options, {
    stdout: { write: (text) => (ran.out += text) },
    stderr: { write: (text) => (ran.err += text) },
  });
  return ran;
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);

test("with files of Adyen's report it ends with 0, 1 or 2: they agree, they differ, or a file cannot be used", async () => {
  const { double, environmentId } = await adyenTenant(db, onTestFinished);
  const [row] = await db.sql<{ id: string }[]>`
    select id from processor_connections where environment_id = ${environmentId}`;
  const about = ["--connection", encodeId("connection", row?.id ?? ""), "--since", inHours(-24).toISOString()];
  const report = (name: string, bytes: Uint8Array | string) => {
    writeFileSync(join(folder, name), bytes);
    return ["--report", join(folder, name)];
  };
  const made = () =>
    accountingReport(double, { from: inHours(-4), until: inHours(-1), bookedAt: () => inHours(-2) }).bytes;
  const good = report("good.csv", made());

  const same = await reconcile(...about, ...good, ...good);
  expect(same).toMatchObject({ code: 0, out: expect.stringContaining("Cardlane and Adyen agree."), err: "" });

  double.books.payment({
    reference: "Order 8",
    amount: { value: 500, currency: "USD" },
    behavior: "approve",
    state: "authorised",
    capturesAtOnce: true,
    returnUrl: "https://shop.example",
    stores: null,
    card: { number: "4242424242424242", expiryMonth: "12", expiryYear: "2040", cvc: null },
  });
  const differs = await reconcile(...about, ...report("more.csv", made()), "--json");
  expect(differs.code).toBe(1);
  expect(JSON.parse(differs.out)).toMatchObject({ difference_count: 1, differences: [{ kind: "only_there" }] });
  expect(differs.out + differs.err).not.toContain("4242");

  const broken = await reconcile(...about, ...good, ...report("broken.csv", "a;b;c\n1;2;3\n"));
  expect(broken).toMatchObject({ code: 2, out: "" });
  expect(broken.err).toMatch(
    /broken\.csv has other signs than commas between its columns\..*\nUsage: npm run reconcile/,
  );
  expect(broken.err).not.toMatch(/^\s+at /m);
  const none = await reconcile(...about, "--report", join(folder, "none.csv"));
  expect(none).toMatchObject({ code: 2, err: expect.stringMatching(/^There is no file .*none\.csv\.\nUsage:/) });
});
