import { connect, connectSql } from "@/db/client";
import type { EmbeddedOptions } from "@/db/embedded";
import { migrate } from "@/db/migrate";
import { openDatabase } from "@/db/open-database";
import { systemClock } from "@/lib/clock";
import type { Service } from "@/lib/domain/context";
import { env } from "@/lib/env";
import { log } from "@/lib/log";
import { withDeadline } from "@/lib/processor/deadline";
import { createRegistry } from "@/lib/processor/registry";
import { createSandboxProcessor } from "@/lib/processor/sandbox";
import { createSecret } from "@/lib/secret";
import { resolveSecret } from "./secret";

export type OpenService = {
  readonly service: Service;
  /** Of the database, and whether it is our own. */
  readonly url: string;
  readonly version: string;
  readonly embedded: boolean;
  /** The secret as it is configured or stored: what another process of this service must be given. */
  readonly secretValue: string;
  close(): Promise<void>;
};

export type OpenOptions = Omit<EmbeddedOptions, "dataDir"> & { applicationName?: string; poolSize?: number };

/** The service on its database, reached or started, and brought up to date. ConfigurationError when that cannot be. */
export async function openService(options: OpenOptions = {}): Promise<OpenService> {
  const { applicationName = "cardlane", poolSize = env.databasePoolSize, ...embedded } = options;
  const database = await openDatabase(embedded);
  const { url } = database;
  try {
    await migrate(url);
    const db = connect(url, { max: poolSize, applicationName });
    const secretValue = await resolveSecret({
      configured: env.secret,
      embedded: database.embedded,
      dataDir: env.dataDir,
      orm: db.orm,
    });
    const secret = createSecret(secretValue);
    const processorSql = connectSql(url, { max: poolSize, applicationName, synchronousCommit: "off" });
    const sandbox = createSandboxProcessor({ sql: processorSql, secret: secret.processorKey });
    const service: Service = {
      db,
      processors: createRegistry({ sandbox: withDeadline(sandbox, env.processorTimeoutMs, systemClock) }),
      clock: systemClock,
      secret,
      log,
      baseUrl: env.baseUrl.replace(/\/+$/, ""),
      processorTimeoutMs: env.processorTimeoutMs,
    };
    const close = async () => {
      await Promise.all([db.close(), processorSql.end({ timeout: 5 })]);
      await database.close();
    };
    return { service, url, version: database.version, embedded: database.embedded, secretValue, close };
  } catch (error) {
    await database.close();
    throw error;
  }
}
