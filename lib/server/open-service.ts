import { type Connections, shareConnections } from "@/db/client";
import type { EmbeddedOptions } from "@/db/embedded";
import { migrate } from "@/db/migrate";
import { openDatabase } from "@/db/open-database";
import { outlast } from "@/db/reach";
import { env } from "@/lib/env";
import type { Connector } from "@/lib/processor/connector";
import { type ChooseProcessors, type CreatedService, createService } from "./create-service";

export type OpenService = CreatedService & {
  /** URL and version of the database, and whether it is embedded. */
  readonly url: string;
  readonly version: string;
  readonly embedded: boolean;
};

export type OpenOptions = Omit<EmbeddedOptions, "dataDir"> & {
  applicationName?: string;
  /** Defaults to the connections of the whole service. */
  connections?: Connections;
  processors?: ChooseProcessors | undefined;
  connectors?: readonly Connector[] | undefined;
};

/** Connects to or starts the database, migrates it and opens the service. Throws ConfigurationError. */
export async function openService(options: OpenOptions = {}): Promise<OpenService> {
  const { applicationName = "cardlane", processors, connectors, connections, ...forEmbedded } = options;
  const database = await openDatabase(forEmbedded);
  const { url, version, embedded } = database;
  try {
    forEmbedded.onProgress?.("bringing its tables up to date");
    await outlast(url, () => migrate(url), { say: forEmbedded.onProgress });
    const created = await createService({
      url,
      embedded,
      applicationName,
      connections: connections ?? shareConnections(env.databasePoolSize),
      onProgress: forEmbedded.onProgress,
      processors,
      connectors,
    });
    const close = async () => {
      await created.close();
      await database.close();
    };
    return { ...created, url, version, embedded, close };
  } catch (error) {
    await database.close();
    throw error;
  }
}
