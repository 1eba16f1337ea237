import { randomUUID } from "node:crypto";
import { afterAll, expect, inject } from "vitest";
import { connect, type Database, type Logins, ROLES } from "@/db/client";
import { createDatabase, dropDatabase } from "./cluster";
import { faultyEvents } from "./events";
import { databaseOfService } from "./factories";

/** The owner's own connections, in the roles of the service. */
export const inRolesOf = (url: string): Logins => ({ app: { url, role: ROLES.app }, jobs: { url, role: ROLES.jobs } });

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
  const max = options.max ?? 5;
  const asOwner = connect(url, { max, applicationName: "cardlane-test", parameters });
  const inItsRoles = connect(inRolesOf(url), {
    max: 2 * max,
    maxOrm: 2 * max,
    applicationName: "cardlane-test",
    parameters,
  });
  const { within, openExport } = inItsRoles;
  // Tests write and look at what no role of the service may; `testService` has the roles.
  const db: Database = { ...asOwner, within, openExport };
  databaseOfService.set(db, inItsRoles);
  afterAll(async () => {
    // Whatever a test had the service do: what merchants are told of it is what the contract says.
    expect(await faultyEvents(db)).toEqual([]);
    await Promise.all([asOwner.close(), inItsRoles.close()]);
    await dropDatabase(adminUrl, name);
  });
  return { url, db };
}
