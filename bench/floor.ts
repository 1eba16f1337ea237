import { createServer } from "node:http";
import postgres from "postgres";
import type Stripe from "stripe";
import { RAW, ROLES, shareWithPages } from "@/db/client";
import { newId } from "@/lib/ids";
import { createClient } from "@/lib/processor/stripe/api";
import { fill, type Script, type Statement } from "./script";

/**
 * The floor: a bare node:http server that sends the service's own statements through postgres.js, in the same
 * roles and environments, over as many connections, without checks, and returns the rows. Its parent process
 * sends it the options.
 */
export type FloorOptions = {
  url: string;
  poolSize: number;
  scripts: Record<string, Script>;
  /** The double of Stripe; null if no script needs it. */
  stripe: { endpoint: string; secretKey: string } | null;
};

type Client = { readonly sql: postgres.Sql; environment: string };

/** The settings of the service's pools. */
const SETTINGS = { TimeZone: "UTC", random_page_cost: "1.1", jit: "off", statement_timeout: "6000" };
const BY_KEY = { ...SETTINGS, enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" };
const STORE = { TimeZone: "UTC", enable_bitmapscan: "off", statement_timeout: "1500" };

/** Connections that are in one environment each; a request that finds none free waits for one. */
class Clients {
  readonly #idle: Client[];
  readonly #waiting: ((client: Client) => void)[] = [];

  constructor(url: string, count: number, role: string, settings: Record<string, string>) {
    this.#idle = Array.from({ length: count }, () => ({
      sql: postgres(url, { max: 1, fetch_types: false, types: RAW as never, connection: { ...settings, role } }),
      environment: "",
    }));
  }

  async acquire(environment: string): Promise<Client> {
    const own = this.#idle.findLastIndex((client) => client.environment === environment);
    const [client] = this.#idle.splice(Math.max(own, 0), 1);
    return client ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  release(client: Client): void {
    const next = this.#waiting.shift();
    if (next) next(client);
    else this.#idle.push(client);
  }
}

/** Sends the environment ahead of the statement, in the same packet. */
function enter(client: Client, environment: string): void {
  if (client.environment === environment) return;
  client.environment = environment;
  void client.sql`select set_config('cardlane.environment', ${environment}, false)`.execute();
}

async function serve({ url, poolSize, scripts, stripe: double }: FloorOptions): Promise<number> {
  const { sql, orm, store } = shareWithPages(poolSize).api;
  // A third of the service's connections is for jobs and sign-in.
  const own = (count: number) => count - Math.max(1, Math.floor(count / 3));
  const pools: Record<Statement["pool"], Clients> = {
    main: new Clients(url, own(sql), ROLES.app, BY_KEY),
    orm: new Clients(url, own(orm), ROLES.app, SETTINGS),
    store: new Clients(url, store, ROLES.sandbox, STORE),
  };
  const stripe = double && createClient(double.secretKey, 8_000, double.endpoint);

  async function send({ pool, text, prepare }: Script["statements"][number], environment: string, values: unknown[]) {
    const client = await pools[pool].acquire(environment);
    try {
      if (pool !== "store") enter(client, environment);
      return await client.sql.unsafe(text, values as never[], { prepare });
    } finally {
      pools[pool].release(client);
    }
  }

  async function run({ environment, ...script }: Script, given: string[]): Promise<unknown> {
    const parameters = fill({ environment, ...script }, given);
    let rows: unknown = null;
    for (const [index, statement] of script.statements.entries()) {
      const found = await send(statement, environment, parameters[index] ?? []);
      if (found.length > 0) rows = found;
    }
    return rows;
  }

  /**
   * The same with the three calls that a payment by a token of Stripe's takes, around the statement that
   * keeps its id.
   */
  async function payAtStripe(stripe: Stripe, script: Script): Promise<unknown> {
    const { environment, statements } = script;
    const parameters = fill(script, []);
    await stripe.paymentMethods.retrieve("pm_card_visa");
    let rows: unknown = null;
    for (const [index, statement] of statements.entries()) {
      const keepsId = /insert into processor_objects/.test(statement.text);
      const key = newId();
      const intent = keepsId
        ? await stripe.paymentIntents.create(
            { amount: 1_999, currency: "usd", allowed_payment_method_types: ["card"], metadata: { reference: key } },
            { idempotencyKey: `${key}:create` },
          )
        : null;
      rows = await send(statement, environment, parameters[index] ?? []);
      if (intent)
        await stripe.paymentIntents.confirm(
          intent.id,
          { expand: ["latest_charge"], payment_method: "pm_card_visa", return_url: "http://localhost/" },
          { idempotencyKey: `${key}:confirm` },
        );
    }
    return rows;
  }

  const server = createServer((request, response) => {
    const [, name = "", ...given] = decodeURI(request.url ?? "").split("/");
    request.resume();
    const script = scripts[name];
    if (!script) return response.writeHead(404).end();
    (stripe ? payAtStripe(stripe, script) : run(script, given)).then(
      (rows) => {
        const body = Buffer.from(JSON.stringify(rows));
        response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
      },
      (error: Error) => response.writeHead(500, { "content-length": error.message.length }).end(error.message),
    );
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
}

process.once("message", (options: FloorOptions) => {
  void serve(options).then((port) => process.send?.({ port }));
});
process.once("disconnect", () => process.exit());
