import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findEnvironmentId, findMerchantName, hasMerchants } from "@/db/queries/accounts/merchants";
import { findUserByEmail } from "@/db/queries/accounts/users";
import { countPayments } from "@/db/queries/demo-history";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { createMerchant, type NewMerchant } from "@/lib/domain/accounts/business";
import type { Environment, Service } from "@/lib/domain/context";
import { ConfigurationError, env } from "@/lib/env";
import { replacePrivateFile } from "../private-file";
import { seedDemoHistory } from "./history";
import { seedDemoDisputes, seedDemoLinks, seedDemoPayments } from "./today";

export type Demo = NewMerchant;

/** Name of the sample shop at /demo. */
const NAME = "Halyard Prints";
const EMAIL = "demo@cardlane.example";
const OWNER = "Robin Hale";

export const demoFile = (dataDir: string) => join(dataDir, "demo.json");

/**
 * Fills an empty database with a demo merchant. Its password and keys are printed at every start, so they are
 * kept in the data folder. If the process dies before the data is complete, the next start completes it.
 * Returns null in production, and for a database with other merchants only.
 */
export async function ensureDemo(
  service: Service,
  dataDir: string,
  say: (detail: string) => void,
): Promise<Demo | null> {
  if (env.isProduction) {
    await refuseDemo(service);
    say("none: this is production");
    return null;
  }
  if (await hasMerchants(service.db.orm)) {
    const demo = await readDemo(service, dataDir);
    if (demo) await fillDemo(service, demo);
    say(demo ? `sign-in and keys in ${demoFile(dataDir)}` : "none: this database has merchants of its own");
    return demo;
  }
  say("creating a demo merchant");
  try {
    const demo = await createDemo(service, dataDir);
    say(`a merchant with ${(await fillDemo(service, demo)).toLocaleString("en-US")} payments`);
    return demo;
  } catch (error) {
    // Another instance that started at the same time created it first.
    if (error instanceof AppError && error.param === "email") return readDemo(service, dataDir);
    throw error;
  }
}

/** The password was printed, and the key is in a file. Throws ConfigurationError. */
async function refuseDemo(service: Service): Promise<void> {
  if ((await findUserByEmail(service.db.orm, "merchant", EMAIL)) === null) return;
  throw new ConfigurationError(
    `This database holds the sandbox's demo merchant, ${EMAIL}, whose password was printed: use another one for production.`,
  );
}

/** Fills a demo without payments. Returns the number of payments created. */
async function fillDemo(service: Service, demo: Demo): Promise<number> {
  const environment = await environmentOf(service, demo);
  const history = environment === null ? 0 : await seedDemoHistory(service, environment.id);
  if (environment === null || history === 0) return 0;
  await seedDemoPayments(demo.test_key);
  await seedDemoLinks(service, environment);
  await seedDemoDisputes(service, environment, demo.test_key);
  // Not a sum of orders and buyers: a free trial begins without a payment.
  return countPayments(service.db.within(environment.id).sql, environment.id);
}

async function environmentOf(service: Service, demo: Demo): Promise<Environment | null> {
  const merchantId = decodeId("merchant", demo.merchant_id);
  const id = merchantId && (await findEnvironmentId(service.db.orm, merchantId, "test"));
  return merchantId && id ? { id, mode: "test", merchantId, clock: null } : null;
}

/**
 * The file is written before the commit: the keys of a merchant that exists can then never be lost with the
 * process.
 */
function createDemo(service: Service, dataDir: string): Promise<Demo> {
  return service.db.orm.transaction(async (orm) => {
    const demo = await createMerchant(
      { db: { orm }, clock: service.clock },
      { name: NAME, email: EMAIL, ownerName: OWNER },
    );
    replacePrivateFile(demoFile(dataDir), `${JSON.stringify(demo, null, 2)}\n`);
    return demo;
  });
}

/** The demo of this database: the file may have been left by another one. */
async function readDemo(service: Service, dataDir: string): Promise<Demo | null> {
  let demo: Demo;
  try {
    demo = JSON.parse(readFileSync(demoFile(dataDir), "utf8"));
  } catch {
    return null;
  }
  const id = decodeId("merchant", demo.merchant_id);
  return id !== null && (await findMerchantName(service.db.orm, id)) !== null ? demo : null;
}
