import { enterProcess, leaveProcess, renewProcess } from "@/db/queries/service-settings";
import type { Service } from "@/lib/domain/context";
import { ConfigurationError } from "@/lib/env";
import { newId } from "@/lib/ids";
import { isLoopbackHost } from "@/lib/loopback";
import { repeat } from "./repeat";

const SAY_SO_MS = 20_000;

/**
 * Says in the database at which address this process is, for as long as it lives; answers how to end that. Throws
 * ConfigurationError while another one is there under another address: links in mails and in answers would lead to either.
 * Several ports of one machine are a sandbox's own affair.
 */
export async function holdAddress(service: Service): Promise<() => Promise<void>> {
  const own = { id: newId(), baseUrl: service.baseUrl };
  const mayBeBeside = (other: string) => other === own.baseUrl || (isLocal(other) && isLocal(own.baseUrl));
  const other = await enterProcess(service.db.orm, own, mayBeBeside);
  if (other !== null) {
    throw new ConfigurationError(
      `Another process uses this database as ${other}, and this one would as ${own.baseUrl}: give both the same BASE_URL. One that was killed counts for another minute.`,
    );
  }
  const job = repeat(service, "say where we are", SAY_SO_MS, async () => {
    await renewProcess(service.db.orm, own);
    return 0;
  });
  return async () => {
    await job.stop();
    await leaveProcess(service.db.orm, own.id);
  };
}

const isLocal = (baseUrl: string) => isLoopbackHost(new URL(baseUrl).host);
