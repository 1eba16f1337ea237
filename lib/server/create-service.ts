import { parseAddress } from "@/db/address";
import { type Connections, type ConnectOptions, connect } from "@/db/client";
import { openLogins } from "@/db/logins";
import { connectSandboxStore } from "@/db/queries/sandbox/processor";
import { outlast } from "@/db/reach";
import { systemClock, systemTimer } from "@/lib/clock";
import { AppError } from "@/lib/contract/errors";
import type { Service } from "@/lib/domain/context";
import { followDatabaseTime } from "@/lib/domain/context";
import { agreeOnSecret } from "@/lib/domain/secret-keys";
import { ConfigurationError, env } from "@/lib/env";
import { createRenderer } from "@/lib/http/response";
import { log } from "@/lib/log";
import { createConnections, type OperatorConnection } from "@/lib/processor/connections";
import type { Connector } from "@/lib/processor/connector";
import { CONNECTORS } from "@/lib/processor/connectors";
import { withDeadline } from "@/lib/processor/deadline";
import type { Processor } from "@/lib/processor/port";
import { createSandboxProcessor } from "@/lib/processor/sandbox";
import { createSecret } from "@/lib/secret";
import { createSender } from "@/lib/webhooks/sender";
import { openGuard, publicGuard } from "@/lib/webhooks/ssrf-guard";
import { type ResolvedSecret, resolveSecret } from "./secret";

/** The processor of each mode, given the sandbox; by default the sandbox, in test mode only. */
export type ChooseProcessors = (sandbox: Processor) => { sandbox: Processor; live?: Processor | null };

const onlySandbox: ChooseProcessors = (sandbox) => ({ sandbox });

export type CreatedService = {
  readonly service: Service;
  /** The configured or stored secret, which other copies of this service need too. */
  readonly secret: ResolvedSecret;
  close(): Promise<void>;
};

type CreateOptions = {
  url: string;
  embedded: boolean;
  applicationName: string;
  connections: Connections;
  /** Called with the reason for a wait. */
  onProgress?: ((what: string) => void) | undefined;
  processors?: ChooseProcessors | undefined;
  /** Connectors that merchants and operators can use. */
  connectors?: readonly Connector[] | undefined;
};

/** Creates the service on a migrated database at `url`, and survives temporary outages of it. */
export const createService = (options: CreateOptions): Promise<CreatedService> =>
  outlast(options.url, () => create(options), { say: options.onProgress });

async function create(options: CreateOptions): Promise<CreatedService> {
  const { url, embedded, applicationName, connections, processors = onlySandbox, connectors = CONNECTORS } = options;
  const operator = operatorConnection(connectors);
  const logins = await openLogins(url, embedded, options.onProgress);
  const replicas = replicasOf(embedded);
  const db = connect(logins, { max: connections.sql, maxOrm: connections.orm, applicationName, replicas });
  const processorSql = connectSandboxStore(logins.sandbox, connections.store);
  const close = async () => {
    await Promise.all([db.close(), processorSql.end({ timeout: 5 })]);
  };
  try {
    const resolved = await resolveSecret({
      configured: env.secret,
      previous: env.previousSecrets,
      file: env.secretFile,
      embedded,
      dataDir: env.dataDir,
      orm: db.orm,
    });
    const secret = createSecret(resolved.value, resolved.previous);
    await agreeOnSecret(db.orm, secret);
    await followDatabaseTime(db.sql);
    const inTime = (processor: Processor) => withDeadline(processor, env.processorTimeoutMs);
    const { sandbox, live = null } = processors(createSandboxProcessor({ sql: processorSql, secret }));
    const baseUrl = env.baseUrl.replace(/\/{1,9}$/, "");
    const service: Service = {
      db,
      connectors,
      processors: createConnections({
        builtIn: { sandbox: inTime(sandbox), live: live && inTime(live) },
        connectors,
        operator,
        db,
        secret,
        log,
        pciDssCompliant: env.pciDssCompliant,
        clock: systemClock,
        timer: systemTimer,
        timeoutMs: env.processorTimeoutMs,
      }),
      clock: systemClock,
      timer: systemTimer,
      renderReply: createRenderer(baseUrl),
      secret,
      webhooks: createSender(env.webhookAllowLocal ? openGuard() : publicGuard()),
      log,
      baseUrl,
      processorTimeoutMs: env.processorTimeoutMs,
    };
    return { service, secret: resolved, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Read replicas from the settings. The embedded server has none. */
function replicasOf(embedded: boolean): ConnectOptions["replicas"] {
  const url = env.databaseReadUrl;
  if (url === null) return null;
  if (embedded)
    throw new ConfigurationError("DATABASE_READ_URL needs DATABASE_URL: the embedded database has no replicas.");
  const { hosts, tls } = parseAddress(url, "DATABASE_READ_URL");
  return { address: { hosts, tls }, log };
}

/** The processor named by the operator's settings, or null. */
function operatorConnection(connectors: readonly Connector[]): OperatorConnection | null {
  const { liveProcessor: key, liveProcessorEndpoint, liveProcessorRawCards: rawCards } = env;
  if (key === null) return null;
  const connector = connectors.find((one) => one.key === key);
  if (!connector) {
    const keys = connectors.map((one) => one.key).join(" or ");
    throw new ConfigurationError(`LIVE_PROCESSOR must be ${keys}, not "${key}".`);
  }
  const given = connector.fields.map((field) => ({ field, value: env.processorCredential(field.setting) }));
  const credentials = Object.fromEntries(
    given.flatMap(({ field, value }) => (value === null ? [] : [[field.name, value]])),
  );
  const wrong = connector.credentials.safeParse(credentials).error?.issues[0];
  const field = wrong && connector.fields.find(({ name }) => name === wrong.path[0]);
  if (field && credentials[field.name] === undefined)
    throw new ConfigurationError(`LIVE_PROCESSOR=${key} needs ${field.setting}. ${field.help}`);
  if (wrong) throw new ConfigurationError(`${field?.setting ?? key} cannot be right. ${wrong.message}`);
  return { connector, credentials, rawCards, endpoint: liveProcessorEndpoint ?? undefined };
}

/** Start-up line with the webhook address of the operator's processor; null without one. */
export async function operatorWebhooks({ processors, baseUrl }: Service): Promise<string | null> {
  const { connecting } = processors;
  if (!connecting?.operator) return null;
  try {
    return `${connecting.operator} sends webhooks to ${baseUrl}${await connecting.operatorAddress()}`;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `${connecting.operator} did not say whose account it is, which its webhook address depends on. The log has why; start again once that is mended.`;
  }
}
