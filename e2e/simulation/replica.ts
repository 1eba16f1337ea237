import type postgres from "postgres";
import type { Host } from "@/db/address";
import type { Database, Sql } from "@/db/client";
import { databaseOn } from "@/db/client";
import { connectionClosed, type Rows } from "@/db/connection";
import { LazyPool, ReadPool, Replicas, type ReplicaTimer } from "@/db/replicas";
import { type StatementPool, sqlOn } from "@/db/statements";
import type { SimulatedConnection, SimulatedPool, WorldDatabase } from "./database";
import { NOBODY, type Process, type World } from "./world";

const hostOf = (at: number) => ({ host: `replica${at}`, port: 5432, label: `replica ${at}` });
const LAGS_MS = [0, 0, 5, 50, 200, 700, 3_000];
const PAUSES_MS = [300, 2_000, 10_000, 40_000];
const ABSENCES_MS = [200, 3_000, 30_000];
const WRITES = /\b(insert|update|delete)\b/i;

/**
 * A streaming replica of a world's database, which may have another. It shows a snapshot of the primary, as of when it last replayed,
 * which only the scheduler decides. Its position is the number of writes until then: real positions also move
 * by what PostgreSQL writes on its own, so two runs of one seed would differ.
 */
export class SimulatedReplica {
  /** Writes at the primary. */
  written = 0;
  /** Writes that it has replayed. */
  #position = 0;
  /** The exported snapshot that its reads see. */
  snapshot = "";
  #goneUntilMs = 0;
  #pausedUntilMs = 0;

  private constructor(
    readonly world: World,
    readonly holder: postgres.ReservedSql,
  ) {}

  static async open(world: World, holders: postgres.Sql): Promise<SimulatedReplica> {
    const replica = new SimulatedReplica(world, await holders.reserve());
    await replica.#replay();
    replica.#plan();
    return replica;
  }

  get position(): number {
    return this.#position;
  }

  get isGone(): boolean {
    return this.world.nowMs < this.#goneUntilMs;
  }

  /** Called for each statement that the primary has executed. */
  note(text: string): void {
    if (WRITES.test(text) || text === "commit") this.written++;
  }

  async #replay(): Promise<void> {
    await this.holder.unsafe("rollback");
    await this.holder.unsafe("begin isolation level repeatable read read only");
    const [row] = await this.holder.unsafe<{ snapshot: string }[]>("select pg_export_snapshot() as snapshot");
    this.snapshot = row?.snapshot ?? "";
    this.#position = this.written;
  }

  /** Replays after a while, unless a fault pauses it or takes it away. */
  #plan(): void {
    const { world } = this;
    const replays = async () => {
      if (world.fault("replica")) {
        const [ms, isGone] = [world.chaos.pick(PAUSES_MS), world.chaos.chance(0.4)];
        if (isGone) this.#goneUntilMs = world.nowMs + world.chaos.pick(ABSENCES_MS);
        else this.#pausedUntilMs = world.nowMs + ms;
        world.note(`the replica ${isGone ? "disappears" : `stops replaying for ${ms / 1_000} s`}`, NOBODY);
        world.sometimes(isGone ? "a replica disappears" : "a replica stops replaying");
      } else {
        await this.#replay();
      }
      this.#plan();
    };
    const isReady = () =>
      this.#position < this.written && !this.isGone && (world.nowMs >= this.#pausedUntilMs || !world.hasFaults);
    world.parkStep("replays", replays, { actor: NOBODY, dueMs: world.nowMs + world.schedule.pick(LAGS_MS), isReady });
  }

  async end(): Promise<void> {
    await this.holder.unsafe("rollback");
    this.holder.release();
  }
}

/** A pool that is asked for a position alone. */
function positions(world: World, read: () => number): Pick<StatementPool, "run" | "end"> {
  return {
    async run(): Promise<Rows> {
      await world.park("asks for a position");
      const position = read();
      if (world.fault("drop")) throw connectionClosed();
      const server = { timeline: null, system: "simulated", instance: "simulated" };
      return [{ position, received: position, ...server }] as unknown as Rows;
    },
    async end() {},
  };
}

/** The read side of one process's database: the product's own choice between the replica and the primary. */
export function readingOn(
  database: WorldDatabase,
  replicas: readonly [SimulatedReplica, ...SimulatedReplica[]],
  process: Process,
  { db, isBusy }: { db: Database; isBusy: () => boolean },
): () => Database {
  const { world } = database;
  let reading = db;
  const begin = async () => {
    const byLabel = new Map(replicas.map((replica, index) => [hostOf(index).label, replica]));
    const at = ({ label }: Host) => byLabel.get(label) ?? replicas[0];
    const chooser = new Replicas<SimulatedConnection>({
      hosts: replicas.map((_, index) => hostOf(index)),
      primary: positions(world, () => replicas[0].written),
      openCheck: (host) =>
        positions(world, () => {
          if (at(host).isGone) throw connectionClosed();
          return at(host).position;
        }),
      openPools: (host) => {
        const { crossing, isolated, long } = database.pools(at(host));
        return {
          ...{ crossing_sql: crossing.sql, crossing_orm: crossing.orm, long },
          ...{ environment_sql: isolated.sql, environment_orm: isolated.orm },
        };
      },
      log: { warn: (_facts, message) => world.note(message) },
      timer: timerOf(world, isBusy),
    });
    // A shared position ends in the step of the caller that asked for it; each goes on as itself.
    const chosen = {
      async caughtUp() {
        const { actor } = world;
        const found = await chooser.caughtUp();
        world.sometimes(found ? "a read is served by the replica" : "a read is served by the primary");
        await new Promise<void>((resolve) => void world.parkStep("chooses a server", resolve, { actor }));
        return found;
      },
    };
    const primary = database.pools(null);
    const read = (pool: SimulatedPool, name: ConstructorParameters<typeof ReadPool>[2]) =>
      new ReadPool(pool, chosen, name);
    reading = Object.assign(Object.create(db) as Database, {
      ...databaseOn({
        crossing: { sql: read(primary.crossing.sql, "crossing_sql"), orm: read(primary.crossing.orm, "crossing_orm") },
        isolated: {
          sql: read(primary.isolated.sql, "environment_sql"),
          orm: read(primary.isolated.orm, "environment_orm"),
        },
        long: read(primary.long, "long"),
      }),
      openExport(id: string): Sql {
        const open = async () => (await chosen.caughtUp())?.pools.environment_sql ?? primary.isolated.sql;
        return sqlOn(new LazyPool(open), id) as unknown as Sql;
      },
    });
  };
  void world.start({ name: `replicas@${process.name}`, process }, begin);
  return () => reading;
}

/** Checks happen while there are requests: an idle world would otherwise never end. */
const timerOf = (world: World, isBusy: () => boolean): ReplicaTimer => ({
  awakeMs: () => world.nowMs,
  elapsedMs: () => world.nowMs,
  wait: (ms) => world.timer.wait(ms),
  every(ms, call) {
    let cancel = () => {};
    const plan = () => {
      cancel = world.parkStep("looks at the replica", tick, { dueMs: world.nowMs + ms, isReady: isBusy });
    };
    const tick = () => {
      call();
      plan();
    };
    plan();
    return () => cancel();
  },
});
