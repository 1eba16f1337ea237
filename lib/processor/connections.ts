import { createHash } from "node:crypto";
import type { Database } from "@/db/client";
import {
  findEnvironmentOfConnection,
  findOperatorAccount,
  listConnections,
  listRoutes,
  readRevisions,
  storeOperatorConnection,
} from "@/db/queries/processors/connections";
import { forgetSubject, listFacts, listOlderSubjects, noteFact } from "@/db/queries/processors/journal";
import type { ConnectionRow, RouteRow } from "@/db/schema/processors";
import { BoundedMap } from "@/lib/bounded-map";
import type { Clock, Timer } from "@/lib/clock";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Logger } from "@/lib/log";
import type { Secret } from "@/lib/secret";
import type { Connector } from "./connector";
import { withDeadline } from "./deadline";
import type { Journal } from "./journal";
import type { Processor } from "./port";
import { type BuiltIn, type Connected, createRegistry, type PaymentToRoute, type Registry } from "./registry";

/** The operator's connection, for all merchants without one of their own. */
export type OperatorConnection = {
  readonly connector: Connector;
  readonly credentials: Readonly<Record<string, string>>;
  readonly rawCards: boolean;
  readonly endpoint: string | undefined;
};

export type ConnectionsOptions = {
  readonly builtIn: BuiltIn;
  readonly connectors: readonly Connector[];
  readonly operator: OperatorConnection | null;
  /** The installation may handle live card numbers. */
  readonly pciDssCompliant: boolean;
  readonly db: Pick<Database, "sql" | "orm" | "within">;
  readonly secret: Secret;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly timeoutMs: number;
  readonly log: Pick<Logger, "error">;
};

/** Max age of the connections and rules that a process uses. */
const FRESH_MS = 1_000;
/** Max number of environments in memory; only those with connections are. */
const MAX_KEPT = 5_000;

/** An environment's connections and rules, read together. */
type Known = {
  readonly revision: number;
  readonly rows: ReadonlyMap<string, ConnectionRow>;
  readonly routes: readonly RouteRow[];
  readonly processors: Map<string, Processor>;
};

/**
 * Processors connected by merchants, and the operator's. One query per second finds the environments that
 * have connections and which of them changed, so unchanged ones cost no query.
 */
export function createConnections(options: ConnectionsOptions): Registry {
  const { db, timer, builtIn, secret } = options;
  const own = createRegistry(builtIn);
  const operator = options.operator && createOperator(options, options.operator);
  const known = new BoundedMap<string, Known>(MAX_KEPT);
  let revisions = { number: 0, readAtMs: Number.NEGATIVE_INFINITY, of: new Map<string, number>() };
  let reading: Promise<unknown> | null = null;
  /** Number of reads started, and the first one that includes the last change made by this process. */
  let [started, needed] = [0, 0];

  async function read(): Promise<void> {
    const [number, readAtMs] = [++started, timer.elapsedMs()];
    revisions = { number, readAtMs, of: await readRevisions(db.sql) };
  }

  /**
   * Undefined if the environment has never had a connection. One read started after the call is enough,
   * whatever changes during it: otherwise a slow database or a stream of changes would block every payment.
   */
  async function knownOf({ id }: { id: string }, from = needed): Promise<Known | undefined> {
    const notBeforeMs = timer.elapsedMs() - FRESH_MS;
    while (revisions.number < from || revisions.readAtMs < notBeforeMs) {
      reading ??= read().finally(() => {
        reading = null;
      });
      await reading;
    }
    const revision = revisions.of.get(id);
    if (revision === undefined) return undefined;
    const kept = known.get(id);
    if (kept?.revision === revision) return kept;
    const { orm } = db.within(id);
    const [rows, routes] = await Promise.all([listConnections(orm, id), listRoutes(orm, id)]);
    // Unchanged rows keep their Processor and its open sockets.
    const processors = new Map(
      rows.flatMap((row) => {
        const processor = kept?.rows.get(row.id)?.revision === row.revision ? kept.processors.get(row.id) : undefined;
        return processor ? [[row.id, processor] as const] : [];
      }),
    );
    const found = { revision, rows: new Map(rows.map((row) => [row.id, row])), routes, processors };
    known.set(id, found);
    return found;
  }

  function connectedOf({ rows, processors }: Known, id: string, mode: Mode): Connected | null {
    const row = rows.get(id);
    if (!row?.credentials) return null;
    const processor = processors.get(id) ?? processorOf(options, row, secret.unseal(row.credentials), mode);
    processors.set(id, processor);
    return { connectionId: id, mode, processor, guarded: true };
  }

  const choose: Registry["choose"] = async (environment, payment) => {
    const { mode } = environment;
    const found = await knownOf(environment);
    const id = found && routed(found, payment);
    if (found && id) return connectedOf(found, id, mode);
    return (mode === "live" && operator && (await operator())) || own.choose(environment, payment);
  };

  const find: Registry["find"] = async (environment, connectionId) => {
    if (connectionId === null) return own.find(environment, null);
    let found = await knownOf(environment);
    if (found?.rows.has(connectionId)) return connectedOf(found, connectionId, environment.mode);
    const ofOperator = environment.mode === "live" && operator ? await operator() : null;
    if (ofOperator?.connectionId === connectionId) return ofOperator;
    // Another process may have connected it within the last second.
    found = await knownOf(environment, started + 1);
    return found ? connectedOf(found, connectionId, environment.mode) : null;
  };

  const registry: Registry = {
    builtIn: own.builtIn,
    choose,
    find,
    hasOthers: async (environment) => environment.mode === "live" || (await knownOf(environment)) !== undefined,
    async reporter(name) {
      const builtInReporter = await own.reporter(name);
      if (builtInReporter || !UUID.test(name)) return builtInReporter;
      const environment = await findEnvironmentOfConnection(db.sql, name);
      if (environment === null) {
        const ofOperator = operator && (await operator());
        if (!options.operator || ofOperator?.connectionId !== name) return null;
        return { ...ofOperator, environmentId: null, ...answering(options.operator.connector) };
      }
      const found = await find(environment, name);
      const row = (await knownOf(environment))?.rows.get(name);
      if (!found || !row) return null;
      return { ...found, environmentId: environment.id, ...answering(connectorOf(options, row.processor)) };
    },
    changed() {
      needed = started + 1;
    },
    connecting: {
      operator: options.operator?.connector.label ?? null,
      async operatorAddress() {
        if (!options.operator || !operator) return null;
        const { connectionId } = await operator();
        return `/webhooks/${options.operator.connector.key}/${encodeId("connection", connectionId ?? "")}`;
      },
      allowsRawCards: (mode) => mode === "test" || options.pciDssCompliant,
      open: (row, credentials, mode) => processorOf(options, row, credentials, mode),
    },
  };
  return registry;
}

const answering = ({ key, webhook }: Connector) => ({ kind: key, accepted: webhook.accepted });

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function routed({ rows, routes }: Known, { currency, brand }: PaymentToRoute): string | undefined {
  const isOpen = (id: string) => rows.get(id)?.status === "CONNECTED";
  const rule = routes.find(
    (one) =>
      isOpen(one.connection_id) &&
      (one.currency === null || one.currency === currency) &&
      (one.brand === null || one.brand === brand),
  );
  return rule?.connection_id ?? [...rows.values()].find((row) => row.is_default)?.id;
}

function connectorOf({ connectors }: Pick<ConnectionsOptions, "connectors">, key: string): Connector {
  const found = connectors.find((one) => one.key === key);
  if (!found) throw new Error(`no connector is called ${key}`);
  return found;
}

/** A processor that always responds in time. `credentials`: their JSON. */
function processorOf(
  options: Pick<ConnectionsOptions, "connectors" | "pciDssCompliant" | "clock" | "timer" | "timeoutMs" | "db">,
  row: Pick<ConnectionRow, "id" | "processor" | "raw_cards" | "metadata_keys">,
  credentials: string,
  mode: Mode,
): Processor {
  const { clock, timer, timeoutMs } = options;
  const rawCards = row.raw_cards && (mode === "test" || options.pciDssCompliant);
  const processor = connectorOf(options, row.processor).create({
    name: row.id,
    credentials: JSON.parse(credentials),
    timeoutMs,
    clock,
    journal: journalOf(options, row.id),
    settings: { live: mode === "live", rawCards, metadataKeys: row.metadata_keys },
  });
  return limitRawCards(withDeadline(processor, timeoutMs, timer), rawCards);
}

/** Journal in our database, shared by all processes. */
export function journalOf({ db }: { db: Pick<Database, "sql"> }, name: string): Journal {
  const { sql } = db;
  return {
    note: async (subject, fact, value) => JSON.parse(await noteFact(sql, name, subject, fact, JSON.stringify(value))),
    async of(subject) {
      const facts = await listFacts(sql, name, subject);
      return Object.fromEntries(facts.map((one) => [one.name, JSON.parse(one.fact)]));
    },
    older: (fact, than, limit) => listOlderSubjects(sql, name, fact, than, limit),
    forget: (subject) => forgetSubject(sql, name, subject),
  };
}

/** Enforces the connection's permission for card numbers, whatever the connector claims. */
function limitRawCards(processor: Processor, rawCards: boolean): Processor {
  if (rawCards) return processor;
  const capabilities = { ...processor.capabilities, rawCards: false };
  const tokenize = () => Promise.reject(new Error("this connection takes no card numbers"));
  return { ...processor, capabilities, tokenize };
}

/** Pause before a failed check is repeated. */
const RETRY_AFTER_MS = 10_000;

/**
 * The operator's connection, once its account is known. The account is looked up once and stored with a
 * digest of the credentials, so that start-up does not need the processor. Throws `processor_error` until it
 * is known.
 */
function createOperator(options: ConnectionsOptions, operator: OperatorConnection): () => Promise<Connected> {
  const { db, secret, timer, timeoutMs, clock, log } = options;
  const { connector, credentials, endpoint } = operator;
  const rawCards = operator.rawCards && options.pciDssCompliant;
  const create = (name: string) => {
    const settings = { live: true, rawCards, metadataKeys: [] };
    const processor = connector.create({
      name,
      credentials,
      settings,
      timeoutMs,
      clock,
      endpoint,
      journal: journalOf(options, name),
    });
    return limitRawCards(withDeadline(processor, timeoutMs, timer), rawCards);
  };
  let connected: Promise<Connected> | null = null;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let problem = "";

  async function accountId(): Promise<string> {
    const digest = secret.digest("operator-credentials", JSON.stringify(credentials)).toString("hex");
    const kept = await findOperatorAccount(db.orm, connector.key, digest);
    if (kept) return kept.account;
    const check = await create(connector.key).checkConnection?.();
    if (!check) throw new Error(`the connector ${connector.key} cannot check its credentials`);
    if (check.kind !== "works") throw new Error(check.reason);
    if (!check.live) throw new Error("The credentials are of a test account. Set those of live mode.");
    const id = operatorConnectionId(connector.key, check.id);
    await storeOperatorConnection(db.orm, {
      id,
      processor: connector.key,
      account: check.id,
      credentials_digest: digest,
      checked_at: clock.now().toISOString(),
    });
    return check.id;
  }

  return async () => {
    if (timer.elapsedMs() - failedAtMs < RETRY_AFTER_MS) throw notKnown(connector.label);
    connected ??= accountId().then((account) => {
      const connectionId = operatorConnectionId(connector.key, account);
      return { connectionId, mode: "live", processor: create(connectionId), guarded: false } as const;
    });
    try {
      return await connected;
    } catch (error) {
      connected = null;
      failedAtMs = timer.elapsedMs();
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== problem)
        log.error({ processor: connector.key, reason }, "the operator's processor cannot be used");
      problem = reason;
      throw notKnown(connector.label);
    }
  };
}

const notKnown = (label: string) =>
  new AppError(
    "processor_error",
    `${label} could not be reached. Send the request again with the same key: nothing is charged twice.`,
  );

/** Depends on the account alone, so new credentials keep the id. */
export function operatorConnectionId(processor: string, account: string): string {
  const hex = createHash("sha256").update(`operator\n${processor}\n${account}`).digest("hex");
  // UUID version 8: application-defined.
  const version = `8${hex.slice(13, 16)}`;
  const variant = `a${hex.slice(17, 20)}`;
  return [hex.slice(0, 8), hex.slice(8, 12), version, variant, hex.slice(20, 32)].join("-");
}
