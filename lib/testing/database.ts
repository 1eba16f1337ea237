import { randomUUID } from "node:crypto";
import { afterAll, inject } from "vitest";
import { connect, type Database } from "@/db/client";
import { createDatabase, dropDatabase } from "./cluster";
import "./global-setup";

export type TestDatabase = { readonly url: string; readonly db: Database };

/**
 * A migrated, empty database of the test file's own, dropped when the file is done. Call it at the top of the file:
 * `const { db, url } = await testDatabase();`
 */
export async function testDatabase(options: { max?: number } = {}): Promise<TestDatabase> {
  const adminUrl = inject("adminUrl");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const url = await createDatabase(adminUrl, name, inject("template"));
  // Tests fill tables with statements that no request has, on machines with other work.
  const parameters = { statement_timeout: "300000" };
  const db = connect(url, { max: options.max ?? 5, applicationName: "cardlane-test", parameters });
  afterAll(async () => {
    await db.close();
    await dropDatabase(adminUrl, name);
  });
  return { url, db };
}
