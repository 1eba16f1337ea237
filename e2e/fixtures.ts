import { test as base, expect as playwrightExpect } from "@playwright/test";
import { connect, type Database } from "@/db/client";
import { encodeId } from "@/lib/contract/ids";
import { PERMISSIONS, type Permission } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import { type CreateApiKeyInput, createApiKey } from "@/lib/domain/api-keys/issue-keys";
import type { Context, Service } from "@/lib/domain/context";
import { createRegistry } from "@/lib/processor/registry";
import { createTestMerchant, type TestMerchant, testContext, testService } from "@/lib/testing/factories";
import { createOtherProcessor } from "@/lib/testing/other-processor/processor";
import { Api } from "./client";

type HostName = "service" | "next" | "configured" | "limited" | "demo" | "other";
export type HostOptions = { host: HostName };

type KeyOptions = { mode?: Mode; permissions?: readonly Permission[] } & Pick<
  CreateApiKeyInput,
  "expiresAt" | "ipAllowList"
>;

export type TestKey = {
  /** `key_…`, and the same as the database has it. */
  readonly id: string;
  readonly uuid: string;
  readonly secret: string;
  readonly api: Api;
};

/** A merchant of the test's own. */
export type Tenant = {
  readonly merchant: TestMerchant;
  /** With a key of the test environment and every permission. */
  readonly api: Api;
  /** The same in the live environment. */
  readonly live: Api;
  newKey(options?: KeyOptions): Promise<TestKey>;
  /** A call of the domain in the test environment, for what the API does not do itself. */
  context(overrides?: Partial<Context>): Context;
};

type WorkerFixtures = HostOptions & {
  baseUrl: string;
  /** The database behind the host: to set the scene and to look behind the API. */
  db: Database;
  service: Service;
};

type TestFixtures = {
  newTenant: () => Promise<Tenant>;
  tenant: Tenant;
  /** Another merchant. */
  stranger: Tenant;
  api: Api;
};

export const test = base.extend<TestFixtures, WorkerFixtures>({
  host: ["service", { option: true, scope: "worker" }],
  baseUrl: [
    async ({ host }, use) => {
      await use(required(`E2E_${host.toUpperCase()}_URL`));
    },
    { scope: "worker" },
  ],
  db: [
    async ({ host }, use) => {
      const url = required(host === "other" ? "E2E_OTHER_DATABASE_URL" : "E2E_DATABASE_URL");
      const db = connect(url, { max: 3, applicationName: "cardlane-e2e" });
      await use(db);
      await db.close();
    },
    { scope: "worker" },
  ],
  service: [
    async ({ db, host }, use) => {
      // What a test makes behind the API, a card's token for one, must be the processor's that the host has.
      const other = () => createRegistry({ sandbox: createOtherProcessor({ sql: db.sql }) });
      await use(testService(db, host === "other" ? { processors: other() } : {}));
    },
    { scope: "worker" },
  ],
  newTenant: async ({ baseUrl, service, host }, use) => {
    await use(() => createTenant(service, (secret) => new Api(baseUrl, secret, host === "other")));
  },
  tenant: async ({ newTenant }, use) => {
    await use(await newTenant());
  },
  stranger: async ({ newTenant }, use) => {
    await use(await newTenant());
  },
  api: async ({ tenant }, use) => {
    await use(tenant.api);
  },
});

export const expect = playwrightExpect;

async function createTenant(service: Service, apiWith: (secret: string) => Api): Promise<Tenant> {
  const merchant = await createTestMerchant(service.db);
  const newKey = async ({ mode = "test", permissions = PERMISSIONS, ...rest }: KeyOptions = {}) => {
    const environmentId = merchant[mode].id;
    const { row, secret } = await createApiKey(service, { environmentId, name: "Test key", permissions, ...rest });
    return { id: encodeId("apiKey", row.id), uuid: row.id, secret, api: apiWith(secret) };
  };
  const [test, live] = await Promise.all([newKey(), newKey({ mode: "live" })]);
  return {
    merchant,
    api: test.api,
    live: live.api,
    newKey,
    context: (overrides) => testContext(service, merchant.test, overrides),
  };
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the tests with npx playwright test`);
  return value;
}
