import type { Database } from "@/db/client";
import { PERMISSIONS, type Permission } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import { createTestMerchant, testService } from "../fixtures/factories";

export type ProofTenant = {
  readonly environmentId: string;
  readonly liveEnvironmentId: string;
  /** Key of the test environment, with every permission. */
  readonly apiKey: string;
  newKey(options: { mode?: Mode; permissions?: readonly Permission[] }): Promise<string>;
};

/** Creates the proof's own merchant on the database that its services use. */
export async function createTenant(db: Database): Promise<ProofTenant> {
  const merchant = await createTestMerchant(db, "Proof");
  const service = testService(db);
  const newKey: ProofTenant["newKey"] = async ({ mode = "test", permissions = PERMISSIONS }) => {
    const { secret } = await createApiKey(service, { environmentId: merchant[mode].id, name: "Proof", permissions });
    return secret;
  };
  return { environmentId: merchant.test.id, liveEnvironmentId: merchant.live.id, apiKey: await newKey({}), newKey };
}
