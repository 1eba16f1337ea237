import { test as base, expect as playwrightExpect } from "@playwright/test";
import { connect, type Database } from "@/db/client";
import { encodeId } from "@/lib/contract/ids";
import { PERMISSIONS, type Permission } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import { type CreateApiKeyInput, createApiKey } from "@/lib/domain/api-keys/issue-keys";
import type { Context, Service } from "@/lib/domain/context";
import { createRegistry } from "@/lib/processor/registry";
import { createTestMerchant, type TestMerchant, testContext, testService } from "@/lib/testing/factories";
import { Api } from "./client";
import { chosenProcessor, OTHER_PROCESSORS } from "./proof/chosen-processor";
import { answerOf } from "./proof/shopper";

type HostName = "service" | "next" | "configured" | "limited" | "demo" | (typeof OTHER_PROCESSORS)[number];
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

/** A shopper whose card's issuer asks whether it is them. */
export type Shopper = {
  /** Where the issuer asks: at our page, or at the processor's own. */
  readonly asksAt: string;
  /** What our service answers the shopper's browser last; null: it was answered before, and the way ends at the processor. */
  answer(url: string, result: string): Promise<Response | null>;
};

type WorkerFixtures = HostOptions & {
  baseUrl: string;
  /** The database behind the host: to set the scene and to look behind the API. */
  db: Database;
  service: Service;
  /** How another processor than the sandbox is reached; null behind the sandbox. */
  behind: Readonly<Record<string, string>> | null;
  shopper: Shopper;
  /** The processor takes captures and refunds on, and decides them later: a request may be answered 202 first. */
  decidesLater: boolean;
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
  behind: [
    async ({ host }, use) => {
      await use(isOther(host) ? JSON.parse(required(`E2E_${host.toUpperCase()}_PROCESSOR`)) : null);
    },
    { scope: "worker" },
  ],
  db: [
    async ({ host }, use) => {
      const url = required(isOther(host) ? `E2E_${host.toUpperCase()}_DATABASE_URL` : "E2E_DATABASE_URL");
      const db = connect(url, { max: 3, applicationName: "cardlane-e2e" });
      await use(db);
      await db.close();
    },
    { scope: "worker" },
  ],
  service: [
    async ({ db, behind }, use) => {
      // What a test makes behind the API, a card's token for one, must be the processor's that the host has.
      const processor = behind && chosenProcessor(behind, () => db.sql, 8_000);
      await use(testService(db, processor ? { processors: createRegistry({ sandbox: processor }) } : {}));
    },
    { scope: "worker" },
  ],
  shopper: [
    async ({ baseUrl, behind }, use) => {
      const { PROOF_STRIPE_ENDPOINT: stripe, PROOF_ADYEN: adyen } = behind ?? {};
      await use({
        asksAt: stripe ?? (adyen === undefined ? baseUrl : JSON.parse(adyen).url),
        answer: async (url, result) => (await answerOf(baseUrl, url, result))?.() ?? null,
      });
    },
    { scope: "worker" },
  ],
  decidesLater: [async ({ host }, use) => use(host === "adyen" || host === "other"), { scope: "worker" }],
  newTenant: async ({ baseUrl, service, behind }, use) => {
    await use(() => createTenant(service, (secret) => new Api(baseUrl, secret, behind !== null)));
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

const isOther = (host: HostName) => OTHER_PROCESSORS.some((one) => one === host);

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
