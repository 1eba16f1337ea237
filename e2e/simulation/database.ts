import type postgres from "postgres";
import { type Database, databaseOn, type Sql } from "@/db/client";
import { type Connection, connectionClosed, type Rows } from "@/db/connection";
import {
  type Lease,
  type Owner,
  type Statement,
  type StatementPool,
  sqlOn,
  type TransactionConnection,
} from "@/db/statements";
import { DatabaseUnavailable } from "@/db/unavailable";
import type { Connections, Ground } from "./ground";
import { nameOf, summaryOf } from "./observations";
import { NOBODY, type Process, type World } from "./world";

const IDLE_IN_TRANSACTION_MS = 10_000;

/** State of a real connection, as the simulation sees it. */
type Known = { readonly pid: number; clockMs: number };
const known = new WeakMap<Connection, Known>();
/** A leased real connection. */
type Physical = Lease<Connection> & { readonly known: Known };

type Result = { readonly answer: Rows } | { readonly error: Error };
/** A statement blocked in PostgreSQL by another session's lock. */
type Held = { readonly pid: number; readonly answer: Promise<Result>; deliver(result: Result): void };

/** A read replica as pools use it. */
export type ReplicaState = {
  /** The exported snapshot that its reads see. */
  readonly snapshot: string;
  readonly isGone: boolean;
  /** Called for each statement that the primary has executed. */
  note(text: string): void;
  end(): Promise<void>;
};

/** A world's view of the database: open transactions, and statements that wait for their locks. */
export class WorldDatabase {
  /** The world's read replicas. */
  replicas: readonly ReplicaState[] = [];
  readonly transactions = new Set<SimulatedConnection>();
  readonly #held = new Set<Held>();

  constructor(
    readonly ground: Ground,
    readonly world: World,
    readonly onAnswer: (name: string, result: Result, statement: Statement) => Promise<void> | void,
  ) {
    world.onKill = async (process) => {
      for (const connection of [...this.transactions]) {
        if (connection.actor.process === process) await connection.breakOff();
      }
    };
    world.onFreeze = (process) => this.#endIdle(process);
  }

  /** The service's access to the database, for one process. */
  get service(): Pick<Database, "sql" | "orm" | "within" | "long" | "openExport"> {
    const pools = this.pools(null);
    return { ...databaseOn(pools), openExport: (id) => sqlOn(pools.isolated.sql, id) as unknown as Sql };
  }

  /** The service's pools at the primary, or at a replica. */
  pools(replica: ReplicaState | null) {
    const pool = (connections: Connections) => new SimulatedPool(this, connections, 0, replica);
    const { app, appOrm, jobs, jobsOrm } = this.ground.pools;
    return {
      isolated: { sql: pool(app), orm: pool(appOrm) },
      crossing: { sql: pool(jobs), orm: pool(jobsOrm) },
      long: pool(jobs),
    };
  }

  /** The processor's access to its store, whose clock may differ. */
  storeWithClock(skewMs: number): Sql {
    return sqlOn(new SimulatedPool(this, this.ground.pools.store, skewMs), "") as unknown as Sql;
  }

  /** Adds a statement that the primary has executed to what replicas have to replay. */
  note(text: string): void {
    for (const replica of this.replicas) replica.note(text);
  }

  /** Ends all transactions and cancels blocked statements. */
  async endAll(): Promise<void> {
    for (const connection of [...this.transactions]) await connection.breakOff();
    for (const replica of this.replicas) await replica.end();
    for (const { pid, answer } of this.#held) {
      await this.ground.monitor`select pg_cancel_backend(${pid})`;
      await answer;
    }
  }

  /** Simulates PostgreSQL's timeout for idle transactions. */
  #endIdle(process: Process): void {
    for (const connection of this.transactions) {
      if (connection.actor.process !== process) continue;
      const sentBefore = connection.sent;
      const end = async () => {
        if (this.transactions.has(connection) && connection.sent === sentBefore) await connection.breakOff();
      };
      this.world.parkStep("ends an idle transaction", end, {
        actor: NOBODY,
        dueMs: this.world.nowMs + IDLE_IN_TRANSACTION_MS,
      });
    }
  }

  async acquire({ real }: Connections, owner: Owner): Promise<Physical> {
    const { connection, release } = await real.lease(owner);
    const old = known.get(connection);
    if (old) return { connection, release, known: old };
    const [row] = await connection.query("select pg_backend_pid() as pid");
    const found = { pid: Number(row?.pid), clockMs: Number.NaN };
    known.set(connection, found);
    return { connection, release, known: found };
  }

  /** Sets the world's time on a connection, in the same packet as the next statement. */
  tell(physical: Physical, skewMs: number, environment: string): void {
    const ms = this.world.nowMs + skewMs;
    if (physical.known.clockMs === ms) return;
    physical.known.clockMs = ms;
    const time = `'${new Date(ms).toISOString()}', false`;
    const told = physical.connection.query(
      `select set_config('simulation.now', ${time}), set_config('simulation.clock', ${time})`,
      environment,
    );
    told.catch((error: Error) => this.world.violate(`the time could not be set: ${error.message}`));
  }

  /** Moves `clock_timestamp()` on within a transaction, whose `now()` stays. An aborted one ignores it. */
  tellWithin(physical: Physical, skewMs: number, environment: string): void {
    const time = new Date(this.world.nowMs + skewMs).toISOString();
    physical.connection.query(`select set_config('simulation.clock', '${time}', false)`, environment).catch(() => {});
  }

  /** The statement's result, or null if it is blocked: then `deliver` gets it when the lock is released. */
  async answerOrHold(
    physical: Physical,
    limitMs: number,
    answer: Promise<Result>,
    own: SimulatedConnection | null,
    deliver: (result: Result) => void,
  ): Promise<Result | null> {
    const others = [...this.transactions].some((connection) => connection !== own);
    if (!others) return answer;
    const result = await this.#settled(physical.known.pid, answer);
    if (result) return result;
    const held: Held = { pid: physical.known.pid, answer, deliver };
    this.#held.add(held);
    this.world.sometimes("a statement waits for a lock");
    this.world.note("… waits for a lock");
    const cancel = async () => {
      if (!this.#held.has(held)) return;
      await this.ground.monitor`select pg_cancel_backend(${held.pid})`;
      await held.answer;
      await this.settleHeld();
    };
    const dueMs = this.world.nowMs + limitMs;
    this.world.parkStep("ends a statement that takes too long", cancel, { actor: NOBODY, dueMs });
    return null;
  }

  /** Waits until PostgreSQL responds, or reports that another session blocks the statement: null. */
  async #settled(pid: number, answer: Promise<Result>): Promise<Result | null> {
    for (;;) {
      const blocked = this.ground.monitor<{ blocked: boolean }[]>`
        select cardinality(pg_blocking_pids(${pid})) > 0 as blocked`;
      const first = await Promise.race([answer, blocked.then(() => null)]);
      if (first) return first;
      if ((await blocked)[0]?.blocked) return null;
    }
  }

  /** After a transaction ends, delivers the results of statements that are no longer blocked, in order. */
  async settleHeld(): Promise<void> {
    for (const held of [...this.#held]) {
      const result = await this.#settled(held.pid, held.answer);
      if (!result || !this.#held.delete(held)) continue;
      held.deliver(result);
    }
  }
}

/** A pool whose statements wait for the scheduler, and whose responses may be lost. */
export class SimulatedPool implements StatementPool<SimulatedConnection> {
  constructor(
    readonly database: WorldDatabase,
    readonly connections: Connections,
    readonly skewMs: number,
    /** The replica whose state its statements see; null for the primary. */
    readonly replica: ReplicaState | null = null,
  ) {}

  get options(): object {
    return this.connections.real.options;
  }

  run(statement: Statement, owner: Owner): Promise<Rows> {
    return sendInTurn(this, statement, async () => {
      const physical = await this.database.acquire(this.connections, owner);
      this.database.tell(physical, this.skewMs, owner.environment);
      const done = this.replica
        ? executeAt(this.replica, physical, statement, owner.environment)
        : execute(physical, statement, owner.environment);
      return { physical, answer: done.finally(() => physical.release()), own: null };
    });
  }

  async lease(owner: Owner): Promise<Lease<SimulatedConnection>> {
    const connection = new SimulatedConnection(this, owner);
    return { connection, release: () => void connection.breakOff() };
  }

  async end(): Promise<void> {}
}

/** Runs a statement on the real connection, and returns its error instead of throwing it. */
function execute({ connection }: Physical, statement: Statement, environment: string): Promise<Result> {
  return connection.run(statement, environment).then(
    (answer) => ({ answer }),
    (error: Error) => ({ error }),
  );
}

const AT_REPLICA = "begin isolation level repeatable read read only";

/** Runs a statement on what a replica has replayed. */
async function executeAt(replica: ReplicaState, physical: Physical, statement: Statement, environment: string) {
  const { connection } = physical;
  await connection.query(AT_REPLICA, environment);
  await connection.query(`set transaction snapshot '${replica.snapshot}'`, environment);
  const result = await execute(physical, statement, environment);
  await connection.query("rollback", environment);
  return result;
}

type Sent = { physical: Physical; answer: Promise<Result>; own: SimulatedConnection | null };

/** Parks a statement, sends it when scheduled, and delivers its response unless a fault drops it. */
function sendInTurn(pool: SimulatedPool, statement: Statement, send: () => Promise<Sent>): Promise<Rows> {
  const { world } = pool.database;
  const { promise, resolve, reject } = deferred<Rows>();
  const name = nameOf(statement);
  const actor = world.actor;
  const lose = (error: Error) => reject(error);
  // At once, because others see what a statement wrote before its own caller gets the result.
  const executed = () => {
    if (!pool.replica) pool.database.note(statement.strings.join(" "));
  };
  const hand = async (result: Result) => {
    await pool.database.onAnswer(name, result, statement);
    const said = "error" in result ? `failed: ${result.error.message}` : summaryOf(result.answer);
    if (world.fault("drop")) {
      world.note(`${name} → ${said}; the answer is lost`);
      world.sometimes(`ambiguous ${name}`);
      return lose(connectionClosed());
    }
    world.note(`${name} → ${said}`);
    const goOn = () => ("error" in result ? reject(result.error) : resolve(result.answer));
    if (!actor.process) return goOn();
    if (world.fault("kill")) return world.kill(actor.process);
    // A response that arrives while the process is frozen is read after it resumes.
    if (world.freezesHere(actor.process, name.startsWith("T1") ? 3 : 1))
      return void world.parkStep("reads an answer", goOn, { actor });
    goOn();
  };
  world.parkStep(name, async () => {
    if (world.fault("drop")) {
      const wasSent = world.chaos.chance(0.5);
      world.note(`${name} ${wasSent ? "is lost on its way" : "finds no connection"}`);
      return lose(wasSent ? connectionClosed() : new DatabaseUnavailable("the database is unavailable"));
    }
    const sent = pool.replica?.isGone ? connectionClosed() : await send().catch((error: Error) => error);
    if (sent instanceof Error) {
      lose(sent);
      return;
    }
    const { physical, answer, own } = sent;
    const deliver = (result: Result) => {
      executed();
      world.parkStep(`${name} at last`, () => hand(result), { actor });
    };
    const result = await pool.database.answerOrHold(physical, pool.connections.limitMs, answer, own, deliver);
    if (!result) return;
    executed();
    await hand(result);
  });
  return promise;
}

/** A promise that is settled from outside. */
function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
}

/** A transaction's connection. It acquires a real one at BEGIN and releases it after the end. */
export class SimulatedConnection implements TransactionConnection {
  readonly actor;
  problem: Error | null = null;
  /** Number of statements sent. */
  sent = 0;
  #physical: Physical | null = null;

  constructor(
    readonly pool: SimulatedPool,
    readonly owner: Owner,
  ) {
    this.actor = pool.database.world.actor;
  }

  fail(error: Error): void {
    this.problem ??= error;
  }

  async run(statement: Statement, environment: string): Promise<Rows> {
    if (this.problem) throw this.problem;
    return sendInTurn(this.pool, statement, async () => {
      const physical = this.#physical;
      if (!physical) throw this.problem ?? new Error("a statement outside of its transaction");
      this.sent++;
      this.pool.database.tellWithin(physical, this.pool.skewMs, environment);
      return { physical, answer: execute(physical, statement, environment), own: this };
    });
  }

  /** The rows of a cursor, in one batch. */
  async *read(statement: Statement): AsyncGenerator<postgres.Row[], void> {
    yield await this.run(statement, this.owner.environment);
  }

  /** Handles BEGIN, COMMIT, ROLLBACK and savepoints. */
  query(text: string, environment = this.owner.environment): Promise<Rows> {
    return this.pool.database.world.perform(text, () => this.#query(text, environment));
  }

  async #query(text: string, environment: string): Promise<Rows> {
    const { database, connections } = this.pool;
    const { world } = database;
    if (this.problem) throw this.problem;
    if (world.fault("drop", 4)) {
      const isDone = text === "commit" && world.chaos.chance(0.5);
      world.note(`${text}: the connection is lost${isDone ? " after it was done" : ""}`);
      world.sometimes(isDone ? "a COMMIT whose response is lost" : "a connection lost within a transaction");
      if (isDone) await this.#physical?.connection.query(text);
      if (isDone) database.note(text);
      await this.breakOff();
      throw this.problem ?? connectionClosed();
    }
    this.sent++;
    if (text.startsWith("begin")) {
      this.#physical = await database.acquire(connections, this.owner);
      database.tell(this.#physical, this.pool.skewMs, environment);
      database.transactions.add(this);
    }
    if (!this.#physical) throw new Error(`${text} without a transaction`);
    const { replica } = this.pool;
    if (replica?.isGone) {
      await this.breakOff();
      throw this.problem ?? connectionClosed();
    }
    const isBegun = text.startsWith("begin");
    const rows = await this.#physical.connection.query(replica && isBegun ? AT_REPLICA : text, environment);
    if (replica && isBegun)
      await this.#physical.connection.query(`set transaction snapshot '${replica.snapshot}'`, environment);
    if (!replica) database.note(text);
    world.note(text);
    if (/^(commit|rollback)$/.test(text)) await this.#giveBack();
    return rows;
  }

  /** Rolls back the open transaction, as a broken connection does. */
  async breakOff(): Promise<void> {
    if (!this.#physical) return;
    this.fail(connectionClosed());
    await this.#physical.connection.query("rollback");
    await this.#giveBack();
  }

  async #giveBack(): Promise<void> {
    const physical = this.#physical;
    this.#physical = null;
    this.pool.database.transactions.delete(this);
    physical?.release();
    await this.pool.database.settleHeld();
  }
}
