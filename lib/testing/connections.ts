import type { Database } from "@/db/client";
import { systemTimer } from "@/lib/clock";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Context, Service } from "@/lib/domain/context";
import { connectProcessor } from "@/lib/domain/processors/connections";
import { type ConnectionsOptions, createConnections } from "@/lib/processor/connections";
import { testContext, testService } from "./factories";
import { type MoneyTenant, moneyTenant } from "./money";
import { otherConnector } from "./other-processor/connector";
import type { OtherOptions } from "./other-processor/processor";

type Options = Partial<Pick<ConnectionsOptions, "operator" | "pciDssCompliant" | "timer" | "connectors">> & {
  other?: Omit<OtherOptions, "sql">;
};

/** A service on the sandbox, to which the other processor can be connected; each is a process of its own to the others. */
export function connectingService(db: Database, options: Options = {}, overrides: Partial<Service> = {}): Service {
  const plain = testService(db, overrides);
  const { other, ...given } = options;
  const connectors = options.connectors ?? [otherConnector(db.sql, { decidesAfterMs: 60_000, ...other })];
  const sandbox = plain.processors.builtIn("test");
  if (!sandbox) throw new Error("tests always have the sandbox");
  const processors = createConnections({
    ...{ builtIn: { sandbox }, connectors, operator: null, pciDssCompliant: false },
    ...{ db: plain.db, secret: plain.secret, clock: plain.clock, timer: systemTimer, log: plain.log },
    ...{ timeoutMs: plain.processorTimeoutMs },
    ...given,
  });
  return { ...plain, connectors, processors };
}

/** A tenant, the calls of its owner, and its money through a connecting service. */
export async function connectingTenant(db: Database, options: Options = {}) {
  const tenant = await moneyTenant(db);
  const service = connectingService(db, options);
  const owner = (mode: Mode = "test", by: Service = service): Context =>
    testContext(by, tenant.merchant[mode], { actor: { type: "user", id: tenant.merchant.id } });
  return {
    ...tenant,
    service,
    owner,
    create: (body: object = {}, asked: Parameters<MoneyTenant["create"]>[1] = {}) =>
      tenant.create(body, { service, ...asked }),
    act: (...[kind, id, body, asked]: Parameters<MoneyTenant["act"]>) =>
      tenant.act(kind, id, body, { service, ...asked }),
    connect: (account = "one", mode: Mode = "test") =>
      connectProcessor(owner(mode), {
        ...{ processor: "other", label: `Account ${account}` },
        credentials: { key: `${mode}_${account}_k4242`, signing: "signed" },
      }),
  };
}

export type ConnectingTenant = Awaited<ReturnType<typeof connectingTenant>>;
