import { z } from "zod";
import type { Database } from "@/db/client";
import { processorConnections } from "@/db/schema/processors";
import { encodeId } from "@/lib/contract/ids";
import type { Service } from "@/lib/domain/context";
import { idTime, newId } from "@/lib/ids";
import { createConnections } from "@/lib/processor/connections";
import { connector } from "@/lib/processor/connector";
import type { Processor, StatementEntry } from "@/lib/processor/port";
import { createTestMerchant, testContext, testService } from "./factories";

export const HOUR_MS = 3_600_000;
type Connected = { hasList?: boolean; beside?: { environment: TestMerchant["test"] } };
type TestMerchant = Awaited<ReturnType<typeof createTestMerchant>>;

/** What the processor says of a connection. */
type List = { entries: StatementEntry[]; fails: boolean; asked: number; until?: Promise<unknown> | undefined };
const lists = new Map<string, List>();

/** Connections to a processor whose list a test writes, and what their comparisons left. */
export function comparedConnections(db: Database) {
  const EXAMPLE = connector<{ list?: string | undefined }>({
    ...{ key: "example", label: "Example", fields: [], webhook: { where: "", events: [], accepted: "" } },
    credentials: z.object({ list: z.string().optional() }),
    hint: () => "",
    create: ({ name, credentials }) =>
      ({
        ...(testService(db).processors.builtIn("test") as Processor),
        name,
        ...(credentials.list !== undefined && {
          async *statement({ since, until }) {
            const list = lists.get(name);
            if (!list || list.fails) throw new Error("the list cannot be had");
            list.asked += 1;
            await list.until;
            yield* list.entries.filter(({ created_at }) => created_at >= since && created_at < until);
          },
        }),
      }) satisfies Processor,
  });

  /** A merchant with a connection, or another one of `beside`, whose processor has a list of its own unless it is said otherwise. */
  async function connected({ hasList = true, beside }: Connected = {}) {
    const plain = testService(db);
    const { environment } = beside ?? { environment: (await createTestMerchant(db)).test };
    const id = newId();
    const service: Service = {
      ...plain,
      connectors: [EXAMPLE],
      processors: createConnections({
        ...{
          builtIn: { sandbox: plain.processors.builtIn("test") as Processor },
          connectors: [EXAMPLE],
          operator: null,
        },
        ...{ pciDssCompliant: false, db, secret: plain.secret, clock: plain.clock, timer: plain.timer },
        ...{ timeoutMs: 8_000, log: plain.log },
      } as Parameters<typeof createConnections>[0]),
    };
    const at = idTime(id);
    await db.orm.insert(processorConnections).values({
      ...{
        environment_id: environment.id,
        id,
        processor: "example",
        account: "Main",
        account_id: id,
        label: "Main",
        status: "CONNECTED",
      },
      ...{
        credentials: plain.secret.seal(JSON.stringify(hasList ? { list: "yes" } : {})),
        hint: "",
        takes_webhooks: true,
      },
      ...{ raw_cards: false, is_default: !beside, checked_at: at, created_at: at, updated_at: at },
    });
    const list: List = { entries: [], fails: false, asked: 0 };
    lists.set(id, list);
    const foreign = (ago = HOUR_MS): StatementEntry => ({
      ...{
        kind: "payment",
        object: { kind: "payment_intent", id: `pi_${newId()}` },
        reference: null,
        state: "captured",
      },
      ...{ created_at: new Date(Date.now() - ago), amount: 500, currency: "USD", captured: 500, refunded: 0 },
    });
    const connection = encodeId("connection", id);
    return { service, environment, id, connection, list, foreign, ctx: testContext(service, environment) };
  }

  const runsOf = async (id: string) => [
    ...(await db.sql<{ state: string; night: string | null; difference_count: number; failure: string | null }[]>`
      select state, night::text as night, difference_count, failure from reconciliation_runs where connection_id = ${id} order by id`),
  ];

  return { connected, runsOf };
}

/** The processor's list comes once the result is called. */
export function heldUp(list: List): () => void {
  let resolve = () => {};
  list.until = new Promise<void>((done) => {
    resolve = done;
  });
  return () => resolve();
}
