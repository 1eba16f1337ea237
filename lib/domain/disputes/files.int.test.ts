import { expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { createTestMerchant, testContext, testService } from "@/e2e/fixtures/factories";
import type { Context } from "../context";
import { createFile } from "./files";

const { db } = await testDatabase();

async function shop() {
  const { test: environment } = await createTestMerchant(db);
  return { ctx: testContext(testService(db), environment), environmentId: environment.id };
}

const pdf = (text = "") => Buffer.from(`%PDF-1.7\n${text}\n%%EOF`);
const upload = (ctx: Context, name = "proof.pdf", bytes = pdf()) =>
  createFile(ctx, { file: { name, size: bytes.byteLength, sha256: "" }, bytes });

test("the files of an environment are bounded, also by uploads at once", async () => {
  const { ctx, environmentId } = await shop();
  const mb = 1024 * 1024;
  await db.sql`insert into files (environment_id, id, name, type, size, bytes, created_by, created_at)
    select ${environmentId}, gen_random_uuid(), 'a.pdf', 'application/pdf', ${5 * mb}, decode(repeat('00', ${5 * mb}), 'hex'),
      '{"type":"system","id":null}', now() from generate_series(1, 19)`;
  const [big, alsoBig] = [pdf("x".repeat(3 * mb)), pdf("y".repeat(3 * mb))];
  const results = await Promise.allSettled([upload(ctx, "1.pdf", big), upload(ctx, "2.pdf", alsoBig)]);
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(results.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "body_too_large" } });
});

test("small files count as 64 KiB each, so their number is bounded", async () => {
  const { ctx, environmentId } = await shop();
  await db.sql`insert into files (environment_id, id, name, type, size, bytes, created_by, created_at)
    select ${environmentId}, gen_random_uuid(), 'a.pdf', 'application/pdf', 5, 'a pdf'::bytea,
      '{"type":"system","id":null}', now() from generate_series(1, ${(100 * 1024) / 64 - 1})`;
  await upload(ctx);
  await expect(upload(ctx)).rejects.toMatchObject({ code: "body_too_large" });
});
