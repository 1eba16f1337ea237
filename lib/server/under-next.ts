import { ConfigurationError, env } from "@/lib/env";
import { provideService } from "@/lib/http/current-service";
import { startJobs } from "@/lib/jobs/start-jobs";
import { createService } from "./create-service";
import { mendRequests } from "./next-requests";

const HOST = Symbol.for("cardlane.host");
const holder = globalThis as { [key: symbol]: boolean | undefined };

/** Says that this process already has a host for the service, so that Next inside it does not become another one. */
export function claimHost(): void {
  holder[HOST] = true;
}

/** Under `next start`, `next dev` and serverless hosts: the service and its jobs, once, on the migrated DATABASE_URL. */
export async function startUnderNext(): Promise<void> {
  if (holder[HOST]) return;
  const url = env.databaseUrl;
  if (!url)
    throw new ConfigurationError("Next's own server needs DATABASE_URL: npm start brings a database of its own.");
  claimHost();
  try {
    const { service } = await createService({
      url,
      embedded: false,
      applicationName: "cardlane-next",
      poolSize: env.databasePoolSize,
    });
    mendRequests();
    provideService(service);
    startJobs(service);
  } catch (error) {
    // Next may call again, and then it must not find a host that never came up.
    holder[HOST] = false;
    throw error;
  }
}
