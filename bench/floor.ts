import { createServer } from "node:http";
import { connect, shareConnections } from "@/db/client";
import { connectSandboxStore } from "@/db/queries/sandbox/processor";
import { idAt } from "@/lib/ids";
import { fill, type Script } from "./script";

/**
 * The baseline: node:http and postgres.js in a separate process, which sends the same statements over the
 * same pools and settings, without checks or row-level security, and returns the rows unchanged. Its parent
 * process sends it the options.
 */
export type FloorOptions = { url: string; poolSize: number; scripts: Record<string, Script>; environmentId: string };

async function serve(options: FloorOptions): Promise<number> {
  const shares = shareConnections(options.poolSize);
  const owner = { url: options.url };
  const pools = {
    main: connect({ app: owner, jobs: owner }, { max: shares.sql, maxOrm: shares.orm }).within(options.environmentId)
      .sql,
    store: connectSandboxStore(owner, shares.store),
  };

  async function run(script: Script, given: string[]): Promise<unknown> {
    const parameters = fill(script, given);
    let answer: unknown = null;
    for (const [index, { pool, text, prepare }] of script.statements.entries()) {
      const rows = await pools[pool].unsafe(text, parameters[index] as never[], { prepare });
      if (rows.length > 0) answer = rows;
    }
    return answer;
  }

  /** Three inserts in a transaction: the minimum that a service without guarantees would write. */
  async function plainInsert(): Promise<unknown> {
    const now = new Date();
    const [payment, charge, event] = [idAt(now), idAt(now), idAt(now)];
    const time = now.toISOString();
    const environment = options.environmentId;
    await pools.main.begin(async (sql) => {
      await sql`insert into payments (environment_id, id, charge_id, authorization_id, status, currency, amount, amount_captured,
          capture_method, customer_id, created_at, updated_at)
        values (${environment}, ${payment}, ${charge}, ${charge}, 'CAPTURED', 'USD', 1999, 1999, 'automatic', 'cus_bench', ${time}, ${time})`;
      await sql`insert into transactions (environment_id, id, payment_id, type, status, amount, currency, customer_id, customer_email,
          card_brand, card_last4, card_exp_month, card_exp_year, card_bin, metadata, authorized_at, captured_at, created_at, updated_at)
        values (${environment}, ${charge}, ${payment}, 'CHARGE', 'CAPTURED', 1999, 'USD', 'cus_bench', 'bench@example.com', 'visa',
          '4242', 12, 2034, '424242', '{}', ${time}, ${time}, ${time}, ${time})`;
      await sql`insert into events (environment_id, id, type, object_id, sequence, data)
        values (${environment}, ${event}, 'payment.captured', ${payment}, 1, ${JSON.stringify({ id: payment })}::text::json)`;
    });
    return { id: payment };
  }

  const server = createServer((request, response) => {
    const [, name = "", ...given] = (request.url ?? "").split("/");
    request.resume();
    const script = options.scripts[name];
    (script ? run(script, given) : plainInsert()).then(
      (answer) => {
        const body = Buffer.from(JSON.stringify(answer));
        response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
      },
      (error: Error) => response.writeHead(500).end(error.message),
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
