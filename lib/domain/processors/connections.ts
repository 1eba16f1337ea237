import type { Orm } from "@/db/client";
import { countKeptThere, type KeptThere, resumeRemovals } from "@/db/queries/payment-methods";
import {
  clearDefault,
  countOpenAt,
  findConnection,
  insertConnection,
  listConnections,
  listRoutes,
  lockConnections,
  type OpenAtConnection,
  recordCheck,
  replaceRoutes,
  updateConnection,
} from "@/db/queries/processors/connections";
import { countKeptCards } from "@/db/queries/processors/journal";
import type { ConnectionRow, RouteRow } from "@/db/schema/processors";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { parseInput } from "@/lib/contract/input";
import { namedSentence } from "@/lib/contract/messages";
import type {
  ChangeConnectionBody,
  Connection,
  ConnectProcessorBody,
  RoutingRule,
} from "@/lib/contract/processors/connection";
import { idTime, newId } from "@/lib/ids";
import type { Connector } from "@/lib/processor/connector";
import { ProcessorTimeoutError } from "@/lib/processor/deadline";
import type { ConnectionCheck } from "@/lib/processor/port";
import type { Connecting } from "@/lib/processor/registry";
import { type Context, resourceNotFound, type Service } from "../context";
import { recordAct } from "../events/event";

type Credentials = Record<string, string>;
/** Settings of a new connection. */
const NO_SETTINGS = { raw_cards: false, metadata_keys: [] as string[] };

/**
 * Max connections of an environment, disconnected ones included:
 * each is compared every night and polled every minute.
 */
export const MAX_CONNECTIONS = 50;

/** Max cards and subscriptions of a connection that are counted. */
const KEPT_CAP = 1_001;

/**
 * The environment's connections, oldest first, and its rules in order. `kept`: what disconnecting each would
 * leave without a charge, by id.
 */
export async function listProcessors(
  ctx: Context,
): Promise<{ connections: Connection[]; rules: RoutingRule[]; kept: Map<string, KeptThere> }> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const rows = await listConnections(orm, ctx.environment.id);
  const routes = await listRoutes(orm, ctx.environment.id);
  const counts = rows
    .filter(({ status }) => status === "CONNECTED")
    .map(async ({ id }) => {
      const count = await countKeptThere(orm, ctx.environment.id, id, KEPT_CAP);
      return [encodeId("connection", id), count] as const;
    });
  return {
    connections: rows.map((row) => present(ctx.service, row)),
    rules: routes.map(presentRule),
    kept: new Map(await Promise.all(counts)),
  };
}

/**
 * Connects an account, once the processor has accepted its credentials.
 * Reconnecting an account restores its connection, so that earlier payments
 * can be refunded. Throws AppError with the processor's reason for a refusal.
 */
export async function connectProcessor(ctx: Context, input: ConnectProcessorBody): Promise<Connection> {
  const { service, environment } = ctx;
  const connector = service.connectors.find(({ key }) => key === input.processor);
  if (!connector) throw refuseField("processor", "There is no such processor.");
  const credentials = readCredentials(connector, input.credentials);
  const id = newId();
  const works = await requireWorking(ctx, { id, processor: connector.key, ...NO_SETTINGS }, credentials);
  const now = idTime(id);
  const row = await change(ctx, async (tx, rows) => {
    const kept = rows.find((one) => one.processor === connector.key && one.account_id === works.id);
    if (kept?.status === "CONNECTED") throw alreadyConnected(kept);
    if (!kept && rows.length >= MAX_CONNECTIONS)
      throw refuse(
        `An environment can have at most ${MAX_CONNECTIONS} connections, and this one has reached that number.`,
      );
    const settings = {
      label: input.label.trim(),
      account: works.account,
      status: "CONNECTED" as const,
      credentials: seal(service, credentials),
      hint: connector.hint(credentials),
      takes_webhooks: takesWebhooks(connector, credentials),
      is_default: !rows.some((one) => one.is_default),
      checked_at: now,
      check_problem: null,
      updated_at: now,
    };
    const connected = kept
      ? await updateConnection(tx, environment.id, kept.id, settings)
      : await insertConnection(tx, environment.id, {
          id,
          processor: connector.key,
          account_id: works.id,
          ...NO_SETTINGS,
          created_at: now,
          ...settings,
        });
    if (!connected) throw alreadyConnected({ label: input.label });
    if (kept) await resumeRemovals(tx, environment.id, connected.id);
    await recordAct(ctx, tx, "settings.processor_connected", connected.id, about(connected));
    return connected;
  });
  return present(service, row);
}

/**
 * Changes the given fields. New credentials must be for the same account, as its payments exist only there.
 */
export async function changeConnection(
  ctx: Context,
  input: ChangeConnectionBody & { id: string },
): Promise<Connection> {
  const { service, environment } = ctx;
  const before = await getConnected(ctx, input.id);
  const { raw_cards } = input;
  if (raw_cards && !connecting(service).allowsRawCards(environment.mode)) throw cardsNotAllowed();
  const replaced = input.credentials && (await replacementOf(ctx, before, input.credentials));
  const row = await change(ctx, async (tx, rows) => {
    const now = rows.find(({ id }) => id === before.id);
    if (now?.status !== "CONNECTED") throw notConnected();
    if (replaced && now.credentials !== before.credentials) throw changedConcurrently();
    if (input.is_default) await clearDefault(tx, environment.id, before.id);
    const changed = await updateConnection(tx, environment.id, before.id, {
      ...replaced,
      ...(input.label !== undefined && { label: input.label.trim() }),
      ...(raw_cards !== undefined && { raw_cards }),
      ...(input.metadata_keys !== undefined && { metadata_keys: [...new Set(input.metadata_keys)] }),
      ...(input.is_default && { is_default: true }),
      updated_at: service.clock.now().toISOString(),
    });
    const names = Object.keys(input).filter((name) => name !== "id");
    await recordAct(ctx, tx, "settings.processor_changed", changed.id, { ...about(changed), changed: names });
    return changed;
  });
  return present(service, row);
}

/** Checks the credentials at the processor again, and stores the result. */
export async function checkConnection(ctx: Context, input: { id: string }): Promise<Connection> {
  const { service, environment } = ctx;
  const row = await getConnected(ctx, input.id);
  const check = await openAndCheck(ctx, row, credentialsOf(service, row));
  const check_problem = problemOf(check, row, environment.mode === "live");
  const checked = { checked_at: service.clock.now().toISOString(), check_problem };
  const { orm } = service.db.within(environment.id);
  await recordCheck(orm, environment.id, row.id, checked);
  return present(service, { ...row, ...checked });
}

/**
 * Deletes the credentials. Refused while the connection has open operations,
 * and while payments would then go to a processor that no one chose. Check
 * and change are atomic: T1 of a payment waits for them and is then refused.
 */
export async function disconnectProcessor(ctx: Context, input: { id: string }): Promise<Connection> {
  const { service, environment } = ctx;
  const { id } = await getRow(ctx, input.id);
  // Without the credentials, stored cards could not be deleted.
  const cards = await countKeptCards(service.db.sql, id);
  const row = await change(ctx, async (tx, rows) => {
    const now = rows.find((one) => one.id === id);
    if (!now || now.status === "DISCONNECTED") return now ?? null;
    const others = rows.filter((one) => one.status === "CONNECTED" && one.id !== id);
    if (now.is_default && others.length > 0) throw refuse("Make another connection the default first.");
    if ((await listRoutes(tx, environment.id)).some((route) => route.connection_id === id))
      throw refuse("Routing rules send payments to it. Change them first.");
    const open = describeOpen({ ...(await countOpenAt(tx, environment.id, id)), cards });
    if (open) throw refuse(`${open} Finish these or wait until nothing is open, then disconnect.`);
    const gone = await updateConnection(tx, environment.id, id, {
      status: "DISCONNECTED",
      credentials: null,
      takes_webhooks: false,
      is_default: false,
      check_problem: null,
      updated_at: service.clock.now().toISOString(),
    });
    const kept = await countKeptThere(tx, environment.id, id, KEPT_CAP);
    await recordAct(ctx, tx, "settings.processor_disconnected", id, { ...about(gone), kept });
    return gone;
  });
  if (!row) throw resourceNotFound("connection", input.id);
  return present(service, row);
}

/** Replaces the rules. The first matching rule decides; otherwise the default connection is used. */
export async function replaceRules(ctx: Context, rules: readonly RoutingRule[]): Promise<RoutingRule[]> {
  const { environment } = ctx;
  const wanted = rules.map((rule) => ({ ...rule, connection_id: decodeId("connection", rule.connection_id) ?? "" }));
  await change(ctx, async (tx, rows) => {
    for (const [at, { connection_id }] of wanted.entries()) {
      if (rows.some((row) => row.id === connection_id && row.status === "CONNECTED")) continue;
      throw refuseField(`rules.${at}.connection_id`, "There is no such connection in this environment.");
    }
    await replaceRoutes(tx, environment.id, wanted);
    await recordAct(ctx, tx, "settings.processor_rules_replaced", environment.id, { rules: wanted.length });
  });
  return [...rules];
}

/**
 * Serializes changes to an environment's connections. Other
 * processes see them within a second, this one immediately.
 */
async function change<T>(ctx: Context, run: (tx: Orm, rows: ConnectionRow[]) => Promise<T>): Promise<T> {
  const { db, processors } = ctx.service;
  try {
    return await db
      .within(ctx.environment.id)
      .orm.transaction(async (tx) => run(tx, await lockConnections(tx, ctx.environment.id)));
  } finally {
    // Also after an error: the change may have been committed.
    processors.changed();
  }
}

async function getRow(ctx: Context, publicId: string): Promise<ConnectionRow> {
  const id = decodeId("connection", publicId);
  const row = id && (await findConnection(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id, id));
  if (!row) throw resourceNotFound("connection", publicId);
  return row;
}

async function getConnected(ctx: Context, publicId: string): Promise<ConnectionRow> {
  const row = await getRow(ctx, publicId);
  if (row.status !== "CONNECTED") throw notConnected();
  return row;
}

/**
 * The new credentials, with stored values for empty fields. Throws unless they work, for the same account.
 */
async function replacementOf(ctx: Context, row: ConnectionRow, given: Credentials) {
  const { service } = ctx;
  const connector = connectorOf(service, row.processor);
  const credentials = readCredentials(connector, { ...credentialsOf(service, row), ...withoutEmpty(given) });
  const { id, account } = await requireWorking(ctx, row, credentials);
  if (id !== row.account_id) {
    throw refuseField(
      "credentials",
      `These credentials belong to ${account}, but this connection is for ${row.account}. Add the other account as a new connection.`,
    );
  }
  return {
    credentials: seal(service, credentials),
    hint: connector.hint(credentials),
    account,
    takes_webhooks: takesWebhooks(connector, credentials),
    check_problem: null,
    checked_at: service.clock.now().toISOString(),
  };
}

const withoutEmpty = (given: Credentials): Credentials =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));

/** Parses credentials for the connector; throws with the field at fault. */
function readCredentials(connector: Connector, given: Credentials): Credentials {
  const credentials = withoutEmpty(given);
  const unknownField = Object.keys(credentials).find((name) => !connector.fields.some((field) => field.name === name));
  if (unknownField !== undefined)
    throw refuseField(`credentials.${unknownField}`, `${connector.label} has no such field.`);
  const [issue] = parseInput(connector.credentials, credentials).result.error?.issues ?? [];
  if (issue) {
    const name = String(issue.path[0] ?? "");
    const field = connector.fields.find((one) => one.name === name);
    const isMissing = field && credentials[name] === undefined;
    throw refuseField(
      `credentials.${name}`,
      isMissing ? `Enter the ${field.label}.` : namedSentence(name, issue.message),
    );
  }
  return credentials;
}

type ConnectionToCheck = Pick<ConnectionRow, "id" | "processor" | "raw_cards" | "metadata_keys">;

/** Returns the account of the credentials. Throws with a reason for the person who entered them. */
async function requireWorking(ctx: Context, connection: ConnectionToCheck, credentials: Credentials) {
  const check = await openAndCheck(ctx, connection, credentials);
  if (check.kind === "unreachable") throw new AppError("processor_error", check.reason);
  const problem = problemOf(check, null, ctx.environment.mode === "live");
  if (problem !== null) throw refuseField("credentials", problem);
  if (check.kind !== "works") throw new Error("a check that found no problem works");
  return check;
}

async function openAndCheck(
  ctx: Context,
  connection: ConnectionToCheck,
  credentials: Credentials,
): Promise<ConnectionCheck> {
  const { service, environment } = ctx;
  const json = JSON.stringify(credentials);
  const processor = connecting(service).open(connection, json, environment.mode);
  const { label } = connectorOf(service, connection.processor);
  if (!processor.checkConnection) throw new Error(`the connector of ${label} cannot check its credentials`);
  try {
    return await processor.checkConnection();
  } catch (error) {
    if (!(error instanceof ProcessorTimeoutError)) throw error;
    return { kind: "unreachable", reason: `${label} did not respond in time. Try again in a moment.` };
  }
}

/**
 * The fault as a sentence for people, or null if it works. `of`: the connection whose account is expected.
 */
function problemOf(check: ConnectionCheck, of: ConnectionRow | null, live: boolean): string | null {
  if (check.kind !== "works") return check.reason;
  if (check.live !== live) {
    return live
      ? "These are test credentials. Paste live credentials here, and test credentials in test mode."
      : "These are live credentials, which move real money. Paste test credentials here.";
  }
  if (of === null || check.id === of.account_id) return null;
  return `These credentials now belong to ${check.account}, but this connection is for ${of.account}. Replace them.`;
}

const seal = ({ secret }: Service, credentials: Credentials): string => secret.seal(JSON.stringify(credentials));

function credentialsOf({ secret }: Service, { id, credentials }: ConnectionRow): Credentials {
  if (credentials === null) throw new Error(`connection ${id} has no credentials`);
  return JSON.parse(secret.unseal(credentials)) as Credentials;
}

/** True if the credentials can verify webhooks. */
const takesWebhooks = ({ fields }: Connector, credentials: Credentials): boolean =>
  fields.every(({ name, webhook }) => !webhook || credentials[name] !== undefined);

function connectorOf({ connectors }: Service, key: string): Connector {
  const found = connectors.find((one) => one.key === key);
  if (!found) throw new Error(`no connector is called ${key}`);
  return found;
}

function connecting({ processors }: Service): Connecting {
  if (!processors.connecting) throw new Error("no processor can be connected here");
  return processors.connecting;
}

/** Audit log data: no secrets. */
const about = ({ processor, account, label, hint }: ConnectionRow) => ({ processor, account, label, hint });

/** Open items of a connection, as a sentence; null if there are none. */
function describeOpen(open: OpenAtConnection & { cards: number }): string | null {
  const { operations, authorized, challenges, refunds, late_approvals: late, tokens, cards } = open;
  const kinds: [number, string, string][] = [
    [operations, "payment whose outcome is not known yet", "payments whose outcome is not known yet"],
    [authorized, "authorized payment to capture or void", "authorized payments to capture or void"],
    [challenges, "payment waiting for 3-D Secure", "payments waiting for 3-D Secure"],
    [refunds, "payment with a pending refund", "payments with a pending refund"],
    [
      late,
      "payment approved too late whose money is not returned yet",
      "payments approved too late whose money is not returned yet",
    ],
    [tokens, "card token that can still be used", "card tokens that can still be used"],
    [
      cards,
      "card that the processor still stores, for up to an hour",
      "cards that the processor still stores, for up to an hour",
    ],
  ];
  const said = kinds.flatMap(([count, one, many]) => (count > 0 ? [`${count} ${count === 1 ? one : many}`] : []));
  return said.length > 0 ? `Still open there: ${said.join(", ")}.` : null;
}

function present({ baseUrl }: Pick<Service, "baseUrl">, row: ConnectionRow): Connection {
  const id = encodeId("connection", row.id);
  const { processor, label, account, status, hint, takes_webhooks, raw_cards, metadata_keys, is_default } = row;
  const { last_webhook_at, checked_at, check_problem, created_at, updated_at } = row;
  return {
    id,
    processor,
    label,
    account,
    status,
    hint,
    takes_webhooks,
    raw_cards,
    metadata_keys,
    is_default,
    webhook_url: `${baseUrl}/webhooks/${processor}/${id}`,
    last_webhook_at,
    checked_at,
    check_problem,
    created_at,
    updated_at,
  };
}

const presentRule = ({ currency, brand, connection_id }: RouteRow): RoutingRule => ({
  currency,
  brand,
  connection_id: encodeId("connection", connection_id),
});

const refuse = (detail: string) =>
  new AppError("invalid_state", detail, { extra: { current_status: "CONNECTED", allowed_actions: [] } });

const notConnected = () =>
  new AppError("invalid_state", "This connection is disconnected. Connect the account again.", {
    extra: { current_status: "DISCONNECTED", allowed_actions: [] },
  });

const changedConcurrently = () => refuse("Someone else just changed this connection. Reload the page and try again.");

const alreadyConnected = ({ label }: { label: string }) =>
  new AppError("already_exists", `This account is already connected as "${label}". Replace its credentials there.`);

const cardsNotAllowed = () =>
  refuse(
    "Card numbers can only go to a live processor if the service's operator has declared the installation PCI DSS compliant (PCI_DSS_COMPLIANT).",
  );

const refuseField = (param: string, message: string) =>
  new AppError("invalid_parameter", message, { param, errors: [{ param, code: "invalid_parameter", message }] });
