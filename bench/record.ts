import { connect, type Sql } from "@/db/client";
import { connectSandboxStore } from "@/db/queries/sandbox/processor";
import { TEST_SECRET, testContext, testService } from "@/e2e/fixtures/factories";
import type { Context, Environment, Service } from "@/lib/domain/context";
import { keepableBody } from "@/lib/domain/idempotency/keepable-body";
import { newId } from "@/lib/ids";
import { createRegistry } from "@/lib/processor/registry";
import { createSandboxProcessor } from "@/lib/processor/sandbox";
import { createSecret } from "@/lib/secret";
import type { Statement } from "./script";

/** Runs verbs in this process and records the statements that they send. */
export type Recorder = {
  readonly service: Service;
  run<Answer>(
    environment: Environment,
    work: (ctx: Context) => Promise<Answer>,
    context?: Partial<Context>,
  ): Promise<{ answer: Answer; statements: Statement[] }>;
  close(): Promise<void>;
};

/** `url`: the database of the environments, with its owner's login. */
export async function createRecorder(url: string): Promise<Recorder> {
  const db = connect(url, { max: 1, maxOrm: 1 });
  const store = connectSandboxStore({ url }, 1);
  const prepared = new Map<string, boolean>();
  let statements: Statement[] | null = null;
  const listen = ({ options }: Sql, pool: Statement["pool"]) => {
    options.debug = (_connection, text, parameters) => {
      const prepare = pool !== "orm" && (prepared.get(text) ?? true);
      statements?.push({ pool, text, parameters: [...(parameters as unknown[])], prepare });
    };
  };
  listen(db.sql, "main");
  listen((db.orm as unknown as { $client: Sql }).$client, "orm");
  listen(store, "store");
  // A new connection first reads its settings, which no request does.
  await Promise.all([db.sql`select 1`, db.orm.execute("select 1"), store`select 1`]);
  // Only the call shows whether `unsafe` prepares a statement; by default it doesn't.
  const sql = new Proxy(db.sql, {
    get(target, property, receiver) {
      if (property !== "unsafe") return Reflect.get(target, property, receiver);
      return (text: string, parameters?: never[], options?: { prepare: boolean }) => {
        prepared.set(text, options?.prepare ?? false);
        return target.unsafe(text, parameters, options);
      };
    },
  });
  const secret = createSecret(TEST_SECRET);
  const processors = createRegistry({ sandbox: createSandboxProcessor({ sql: store, secret }) });
  const service = testService({ ...db, sql, within: (id) => ({ ...db.within(id), sql }) }, { secret, processors });
  return {
    service,
    async run(environment, work, context) {
      const ctx = testContext(service, environment, context);
      statements = [];
      const answer = await work(ctx);
      const recorded = statements;
      statements = null;
      return { answer, statements: recorded };
    },
    async close() {
      await Promise.all([db.close(), store.end()]);
    },
  };
}

/** A new idempotency key for a recorded call. It is a UUIDv7, so that scripts replace it with new ones. */
export function newIdempotency(body: object) {
  return { key: newId(), digest: async () => Buffer.alloc(36, 7), isSame: async () => true, body: keepableBody(body) };
}
