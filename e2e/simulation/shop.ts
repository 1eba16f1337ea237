import { randomUUID } from "node:crypto";
import type { Database } from "@/db/client";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { checkoutAttemptBody } from "@/lib/contract/checkout/endpoints";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import { createPaymentBody } from "@/lib/contract/payments/payment";
import type { Member } from "@/lib/domain/approvals/requests";
import { findCheckout, payClientSession } from "@/lib/domain/checkout/pay-session";
import type { Context, Environment, Reply, Service } from "@/lib/domain/context";
import { keepableBody } from "@/lib/domain/idempotency/keepable-body";
import { createPayment } from "@/lib/domain/payments/create-payment";
import { capturePayment, refundPayment, voidPayment } from "@/lib/domain/payments/follow-up";
import { captureTransaction, refundTransaction, voidTransaction } from "@/lib/domain/transactions/act-on-transactions";
import { newId } from "@/lib/ids";
import type { Logger } from "@/lib/log";
import { ProcessorTimeoutError, withDeadline } from "@/lib/processor/deadline";
import { createRegistry } from "@/lib/processor/registry";
import { createSandboxProcessor } from "@/lib/processor/sandbox";
import { createSecret, type Secret, sha256 } from "@/lib/secret";
import { TEST_SECRET, testContext, testIdempotency, testService } from "../fixtures/factories";
import { type BillingAsk, callBilling, routeOf } from "./billing";
import { WorldDatabase } from "./database";
import { callDispute, type Decision, type DisputeAsk, disputeRoute } from "./dispute-requests";
import type { Ground } from "./ground";
import { Knowledge } from "./knowledge";
import { Network, ProcessorAway } from "./network";
import { watch } from "./observations";
import { randomOf } from "./random";
import { readingOn, SimulatedReplica } from "./replica";
import { Process, type World } from "./world";

const VERBS = {
  capture: { payments: capturePayment, transactions: captureTransaction },
  void: { payments: voidPayment, transactions: voidTransaction },
  refund: { payments: refundPayment, transactions: refundTransaction },
};

/** A logical request of a client, sent once or several times. */
export type Ask = {
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
} & (
  | { readonly what: "create" }
  | { readonly what: keyof typeof VERBS; readonly target: string }
  | BillingAsk
  | DisputeAsk
  /** A shopper pays the session that this token belongs to. */
  | { readonly what: "attempt"; readonly sessionId: string; readonly token: string }
);

/** A server's response, even if the client no longer waited for it. 503: the database was unavailable. */
export type Answer = {
  readonly ask: Ask;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly status: number;
  readonly code: string | null;
  readonly replayed: boolean;
  readonly text: string;
};

/** A part of the service that only some worlds use. */
export type Part = "billing" | "disputes";

/** A client's response timeout. */
const PATIENCE_MS = 35_000;
const TIMEOUT_MS = 8_000;
/** Numbers of processes that serve a world, one of which is drawn. */
const PROCESSES = [1, 2, 2];
/** Share of worlds with read replicas, and their numbers, one of which is drawn. */
const WITH_REPLICA = 0.3;
const REPLICAS = [1, 1, 2];

/** A cheap card fingerprint: the real one is CPU-intensive and adds nothing to a simulation. */
const secret: Secret = {
  ...createSecret(TEST_SECRET),
  fingerprint: async (environmentId, { number }) => sha256(`${environmentId} ${number}`),
};

/** One merchant's environment, the processes that serve it, and all responses. */
export class Shop {
  readonly answers: Answer[] = [];
  /** The time each key was first sent; the key expires no sooner than a day later. */
  readonly firstSentMs = new Map<string, number>();
  readonly network: Network;
  readonly database: WorldDatabase;
  /** The answers that members of the team got about requests for approval. */
  readonly decisions: Decision[] = [];
  /** Members of the team who request and decide. */
  readonly members: Member[] = [];
  /** Parts of the service that this world uses, whose jobs its processes run. */
  readonly parts = new Set<Part>();
  onUse: (part: Part) => void = () => {};
  /** Everything that anybody was shown, in a world with a read replica. */
  readonly knowledge = new Knowledge();
  /** Requests in progress at a process, even if the client no longer waits for them. */
  readonly #underWay = new Map<object, Process>();
  readonly #services = new Map<Process, Service>();
  readonly #skewMs: number;
  readonly #processes: number;
  #started = 0;
  #replicas: readonly SimulatedReplica[] = [];

  private constructor(
    readonly world: World,
    readonly ground: Ground,
    readonly environment: Environment,
  ) {
    this.database = new WorldDatabase(ground, world, watch(world));
    const { chaos } = world;
    const hasFaults = world.plan.faultBudget > 0;
    // The clocks of some processes and of the processor may be wrong.
    this.#processes = chaos.pick(PROCESSES);
    this.#skewMs = hasFaults && chaos.chance(0.15) ? chaos.pick([-90_000, -5_000, 70_000, 400_000]) : 0;
    const storeSkewMs = hasFaults && chaos.chance(0.15) ? chaos.pick([-40_000, -11_000]) : 0;
    const sandbox = createSandboxProcessor({
      sql: this.database.storeWithClock(storeSkewMs),
      secret,
      clock: { now: () => new Date(world.nowMs) },
      timer: world.timer,
    });
    this.network = new Network(world, sandbox, storeSkewMs === 0, (reference) => this.#isCharged(reference));
  }

  get hasSkewedClocks(): boolean {
    return this.#skewMs !== 0;
  }

  /** Begins a part's jobs in every process, perhaps once more. */
  use(part: Part): void {
    this.parts.add(part);
    this.onUse(part);
  }

  static async open(world: World, ground: Ground): Promise<Shop> {
    const environment = { id: randomUUID(), mode: "test", merchantId: randomUUID(), clock: null } as const;
    const { monitor } = ground;
    await monitor`with merchant as (insert into merchants (id, name) values (${environment.merchantId}, 'Simulated') returning id)
      insert into environments (id, merchant_id, mode) select ${environment.id}, id, 'test' from merchant`;
    const shop = new Shop(world, ground, environment);
    // By right clocks, because callers compare objects by the times of their changes.
    const random = randomOf(world.plan.seed, "replica");
    if (!random.chance(WITH_REPLICA) || shop.hasSkewedClocks) return shop;
    const replicas: SimulatedReplica[] = [];
    for (let count = random.pick(REPLICAS); count > 0; count--)
      replicas.push(await SimulatedReplica.open(world, ground.holders));
    shop.#replicas = replicas;
    shop.database.replicas = replicas;
    return shop;
  }

  get hasReplica(): boolean {
    return this.#replicas.length > 0;
  }

  async #isCharged(reference: string): Promise<boolean> {
    const found = await this.ground.monitor`
      select from sandbox_processor.charges where reference = ${reference} and behavior <> 'closed'`;
    return found.length > 0;
  }

  /** Starts another process of the service. */
  start(): Process {
    const { world } = this;
    const skewMs = world.chaos.chance(0.5) ? this.#skewMs : 0;
    const process = new Process(String.fromCharCode(65 + (this.#started % 26)), skewMs);
    this.#started++;
    const { timer } = world;
    const absent = () => {
      throw new Error("no part of a simulated world");
    };
    let reading = () => db;
    const db: Database = {
      ...this.database.service,
      ...{ pools: absent, close: absent, replicas: absent },
      get reading() {
        return reading();
      },
    };
    const [first, ...others] = this.#replicas;
    const isBusy = () => !this.isIdle;
    if (first) reading = readingOn(this.database, [first, ...others], process, { db, isBusy });
    const service = testService(db, {
      processors: createRegistry({ sandbox: withDeadline(this.network.processor, TIMEOUT_MS, timer) }),
      clock: { now: () => new Date(world.nowMs + skewMs) },
      timer,
      secret,
      log: this.#log(process),
      processorTimeoutMs: TIMEOUT_MS,
    });
    this.#services.set(process, service);
    world.processes.push(process);
    return process;
  }

  /** Every logged error is a violation, except an outage, which the simulation causes itself. */
  #log(process: Process): Logger {
    const error = ({ err }: { err?: unknown }, message: string) => {
      if (err !== undefined && isOutage(err)) return;
      const text = err instanceof Error ? err.message : JSON.stringify(err ?? null);
      this.world.violate(`process ${process.name} logs "${message}": ${text}`);
    };
    const silent = () => {};
    return { error, warn: silent, info: silent, debug: silent } as unknown as Logger;
  }

  get living(): Process[] {
    return this.world.processes.filter(({ isDead }) => !isDead);
  }

  /** True when no request is in progress. */
  get isIdle(): boolean {
    return [...this.#underWay.values()].every(({ isDead }) => isDead);
  }

  serviceOf(process: Process): Service {
    const service = this.#services.get(process);
    if (!service) throw new Error(`no process ${process.name}`);
    return service;
  }

  /** Replaces dead processes. */
  startMissing(): Process[] {
    return Array.from({ length: Math.max(0, this.#processes - this.living.length) }, () => this.start());
  }

  /** Picks the process that serves a client. */
  async anyProcess(what: string): Promise<Process> {
    const [process] = this.world.schedule.shuffle(this.living);
    await this.world.park(what);
    return process && !process.isDead ? process : this.start();
  }

  /** Runs work inside a process; the caller gets null when the process dies or the client gives up. */
  within<T>(process: Process, name: string, work: (service: Service) => Promise<T>): Promise<T | null> {
    const { world } = this;
    const client = world.actor;
    const server = { name: `${name}@${process.name}`, process };
    return new Promise((resolve, reject) => {
      const giveUp = world.parkStep("gives up", () => resolve(null), { dueMs: world.nowMs + PATIENCE_MS });
      const onDeath = () => void world.parkStep("hears nothing", () => resolve(null), { actor: client });
      process.onDeath.add(onDeath);
      const request = {};
      this.#underWay.set(request, process);
      const end = () => {
        giveUp();
        process.onDeath.delete(onDeath);
        this.#underWay.delete(request);
      };
      world
        .start(server, () => work(this.serviceOf(process)))
        .then(
          (value) => {
            end();
            resolve(value);
          },
          (error: unknown) => {
            end();
            reject(error);
          },
        );
    });
  }

  /** Sends a request once, to any process. Null: no response came. */
  async ask(ask: Ask): Promise<Answer | null> {
    const { world } = this;
    const process = world.schedule.pick(this.living.length > 0 ? this.living : [this.start()]);
    await world.park(`sends ${ask.what} ${ask.key} to ${process.name}`);
    if (process.isDead) return null;
    const startedMs = world.nowMs;
    if (!this.firstSentMs.has(ask.key)) this.firstSentMs.set(ask.key, startedMs);
    return this.within(process, world.actor.name, async (service) => {
      const answer = { ask, startedMs, ...(await this.#answer(service, ask)), endedMs: world.nowMs };
      this.answers.push(answer);
      const { status, code, replayed } = answer;
      world.note(`answers ${status}${code === null ? "" : ` ${code}`}${replayed ? ", replayed" : ""}`);
      if (this.hasReplica && status < 300) this.knowledge.learn(JSON.parse(answer.text) as object);
      if (replayed) world.sometimes("a response is replayed");
      if (code !== null) world.sometimes(`a refusal: ${code}`);
      return answer;
    });
  }

  async #answer(service: Service, ask: Ask): Promise<Pick<Answer, "status" | "code" | "replayed" | "text">> {
    try {
      const reply = await this.#call(service, ask);
      const code = reply.status >= 400 ? (JSON.parse(reply.body).code as string) : null;
      return { status: reply.status, code, replayed: reply.replayed, text: reply.body };
    } catch (error) {
      if (error instanceof AppError) {
        return { status: error.status, code: error.code, replayed: false, text: error.message };
      }
      const isOutage = isDatabaseUnavailable(error);
      if (!isOutage) this.world.violate(`${ask.what} ${ask.key} fails: ${(error as Error).stack ?? String(error)}`);
      return { status: isOutage ? 503 : 500, code: "outage", replayed: false, text: String(error) };
    }
  }

  async #call(service: Service, ask: Ask): Promise<Reply> {
    if (ask.what === "create") {
      const ctx = this.#context(service, ask, "createPayment", "/v1/payments");
      return createPayment(ctx, createPaymentBody.parse(ask.body));
    }
    if (ask.what === "attempt") {
      const checkout = await findCheckout(service, ask.token);
      if (!checkout) throw new Error("the session is gone");
      const ctx = this.#context(service, ask, "payClientSession", `/pay/${ask.sessionId}/attempts`);
      const { declined } = await payClientSession(
        ctx,
        checkout,
        checkoutAttemptBody.parse({ attempt: ask.key, ...ask.body }),
      );
      // The form gets the session's state; the simulation checks the key.
      return { status: 202, body: JSON.stringify({ declined }), replayed: false };
    }
    if (ask.what === "billing") {
      const { endpoint, path } = routeOf(ask);
      return callBilling(this.#context(service, ask, endpoint, path), ask, ask.body);
    }
    if (ask.what === "dispute") {
      const { endpoint, path } = disputeRoute(ask);
      return callDispute(this.#context(service, ask, endpoint, path), ask, ask.body);
    }
    const resource = ask.target.startsWith("pay_") ? "payments" : "transactions";
    const endpoint = `${ask.what}${resource === "payments" ? "Payment" : "Transaction"}`;
    const ctx = this.#context(service, ask, endpoint, `/v1/${resource}/${ask.target}/${ask.what}`);
    return VERBS[ask.what][resource](ctx, { ...ask.body, id: ask.target } as never);
  }

  #context(service: Service, ask: Ask, endpoint: string, path: string): Context {
    const digest = sha256(`${path} ${JSON.stringify(ask.body)}`);
    return testContext(service, this.environment, {
      idempotency: testIdempotency(ask.key, digest, keepableBody({ ...ask.body })),
      request: { id: newId(), endpoint, path },
    });
  }

  /** Ignores outages; any other error is a violation. */
  readonly onlyOutages = (error: unknown): void => {
    if (isOutage(error)) return;
    this.world.violate(`${this.world.actor.name} fails: ${(error as Error).stack ?? String(error)}`);
  };

  /** Runs work before or after the load: alone, and without faults. */
  async calmly<T>(name: string, process: Process, work: (service: Service) => Promise<T>): Promise<T> {
    const { world } = this;
    const before = world.hasFaults;
    world.hasFaults = false;
    let hasEnded = false;
    const done = world.start({ name, process }, () => work(this.serviceOf(process)));
    done.then(
      () => {
        hasEnded = true;
      },
      () => {
        hasEnded = true;
      },
    );
    await world.run(() => hasEnded);
    world.hasFaults = before;
    return done;
  }

  /** The time at which a key was first used; null if it isn't in use. */
  keyCreatedMs(key: string): Promise<number | null> {
    return this.world.perform("reads the clock", async () => {
      const [row] = await this.ground.monitor<{ ms: number }[]>`
        select extract(epoch from created_at) * 1000 as ms from idempotency_keys
        where environment_id = ${this.environment.id} and key = ${key}`;
      return row ? Number(row.ms) : null;
    });
  }

  /** A call by Cardlane itself in the environment. */
  call(service: Service, endpoint: string): Context {
    return testContext(service, this.environment, { request: { id: newId(), endpoint, path: "/" } });
  }

  environmentName(): string {
    return encodeId("environment", this.environment.id);
  }
}

/** True if the database or the processor was unavailable. */
const isOutage = (error: unknown) =>
  isDatabaseUnavailable(error) || error instanceof ProcessorTimeoutError || error instanceof ProcessorAway;

/** True if the response is stored under the key, so that it won't change. */
export function isFinal({ ask, status, code }: Answer): boolean {
  if (ask.what === "attempt") return status === 202 || code === "invalid_state";
  if (status === 202 || status >= 500) return false;
  return !["idempotency_request_in_progress", "outcome_pending", "processor_error", "clock_advancing"].includes(
    code ?? "",
  );
}
