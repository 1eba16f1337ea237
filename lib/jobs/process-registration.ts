import { deleteProcess, insertProcess, renewProcess } from "@/db/queries/service/settings";
import type { Service } from "@/lib/domain/context";
import { agreeOnSecret } from "@/lib/domain/secret-keys";
import { ConfigurationError } from "@/lib/env";
import { newId } from "@/lib/ids";
import { isLoopbackHost } from "@/lib/loopback";
import { repeat } from "./jobs";

const RENEW_INTERVAL_MS = 20_000;

/**
 * Registers this process in the database with its base URL and secrets while it runs; returns a function that
 * ends this. Throws ConfigurationError while another process has another base URL, because links in mails and
 * responses would lead to either. Different ports of one machine are allowed, for local development.
 */
export async function registerProcess(service: Service): Promise<() => Promise<void>> {
  const own = { id: newId(), baseUrl: service.baseUrl, keyIds: service.secret.keyIds };
  const canRunBeside = (other: string) => other === own.baseUrl || (isLocal(other) && isLocal(own.baseUrl));
  const other = await insertProcess(service.db.orm, own, canRunBeside);
  if (other !== null) {
    throw new ConfigurationError(
      `Another process uses this database as ${other}, and this one would as ${own.baseUrl}: give both the same BASE_URL. One that was killed counts for another minute.`,
    );
  }
  const leave = () => deleteProcess(service.db.orm, own.id);
  try {
    // A rotation of the secret before our registration did not check the secrets of this process.
    await agreeOnSecret(service.db.orm, service.secret);
  } catch (error) {
    await leave();
    throw error;
  }
  const job = repeat(service, "renew process registration", RENEW_INTERVAL_MS, async () => {
    await renewProcess(service.db.orm, own);
    return 0;
  });
  return async () => {
    await job.stop();
    await leave();
  };
}

const isLocal = (baseUrl: string) => isLoopbackHost(new URL(baseUrl).host);
