import type { Database, Sql } from "@/db/client";
import { connectSandboxStore } from "@/db/queries/sandbox/processor";
import { testContext, testService } from "@/e2e/fixtures/factories";
import type { Context, Environment, Service } from "@/lib/domain/context";
import { keepableBody } from "@/lib/domain/idempotency/keepable-body";
import { newId } from "@/lib/ids";
import { createRegistry } from "@/lib/processor/registry";
import { createSandboxProcessor } from "@/lib/processor/sandbox";
import { createSecret } from "@/lib/secret";
import type { Statement } from "./script";

/** Runs operations in this process and records the statements that they send. */
export type Recorder = {
  run<Answer>(
    work: (ctx: Context) => Promise<Answer>,
    context?: Partial<Context>,
  ): Promise<{ answer: Answer; statements: Statement[] }>;
  close(): Promise<void>;
};

export async function createRecorder(
  db: Database,
  url: string,
  environment: Environment,
  actorId: string,
): Promise<Recorder> {
  const store = connectSandboxStore({ url }, 1);
  // A new connection first queries the server's types, which isn't part of any request.
  await Promise.all([db.sql`select 1`, store`select 1`]);
  const unprepared = new Set<string>();
  let statements: Statement[] | null = null;
  const listen = (sql: Sql, pool: Statement["pool"]) => {
    sql.options.debug = (_connection, text, parameters) => {
      statements?.push({ pool, text, parameters: [...(parameters as unknown[])], prepare: !unprepared.has(text) });
    };
  };
  listen(db.sql, "main");
  listen(store, "store");
  // Only this call shows which statements are not to be prepared.
  const sql = new Proxy(db.sql, {
    get(target, property, receiver) {
      if (property !== "unsafe") return Reflect.get(target, property, receiver);
      return (text: string, parameters?: never[], options?: { prepare: boolean }) => {
        // Without options it is a fragment of another statement.
        if (options?.prepare === false) unprepared.add(text);
        return target.unsafe(text, parameters, options);
      };
    },
  });
  const secret = createSecret("the secret of the benchmark's records");
  const service: Service = testService(
    { ...db, sql, within: (id) => ({ ...db.within(id), sql }) },
    { processors: createRegistry({ sandbox: createSandboxProcessor({ sql: store, secret }) }) },
  );
  return {
    async run(work, context) {
      const ctx = testContext(service, environment, { actor: { type: "api_key", id: actorId }, ...context });
      statements = [];
      const answer = await work(ctx);
      const recorded = statements;
      statements = null;
      return { answer, statements: recorded };
    },
    async close() {
      await store.end();
    },
  };
}

/** A new idempotency key for a recorded call. It is a UUIDv7, so that scripts replace it with new ones. */
export function newIdempotency(body: object) {
  return { key: newId(), digest: async () => Buffer.alloc(36, 7), isSame: async () => true, body: keepableBody(body) };
}
