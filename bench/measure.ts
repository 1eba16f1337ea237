import { cpuMs } from "./cpu";
import { drive, quantile } from "./load";
import { floorRequest, type Route } from "./routes";

export type Pace = { connections: number; warmUpMs: number; turnMs: number; rounds: number };

/** A server: its port, and the processes that do its work. */
export type Servers = {
  service: { port: number; pid: number };
  floor: { port: number; pid: number };
  postgresPid: number;
};

/** Figures of one party: requests per second (the median of the rounds) and CPU time per request in µs. */
export type Turns = {
  rps: number;
  /** Null if the system doesn't report it. */
  cpu_us: number | null;
  postgres_us: number | null;
};

export type RouteResult = {
  name: string;
  /** The service's requests per second relative to the floor's; the median of the rounds. */
  ratio: number;
  service: Turns;
  floor: Turns;
  /** Three plain inserts in a transaction, in the same rounds; null if the route isn't compared with them. */
  plain: (Turns & { ratio: number }) | null;
  p50_ms: number;
  p99_ms: number;
};

type Who = "service" | "floor" | "plain";
type Round = Record<Who, { rps: number; requests: number; cpuMs: number | null; postgresMs: number | null } | null>;

/** Measures the parties in turns, because a machine's speed varies over time. */
export async function measureRoute(route: Route, servers: Servers, pace: Pace): Promise<RouteResult> {
  const { connections, warmUpMs, turnMs, rounds } = pace;
  const next: Record<Who, () => string | null> = {
    service: route.service,
    floor: () => {
      const path = route.floor();
      return path && floorRequest(...path);
    },
    plain: () => floorRequest("plain"),
  };
  const turn = async (who: Who, durationMs: number) => {
    const { port, pid } = servers[who === "service" ? "service" : "floor"];
    const [cpuFrom, postgresFrom] = [cpuMs(pid), cpuMs(servers.postgresPid)];
    const { requestsPerSecond: rps, latenciesMs } = await drive({ port, connections, durationMs, next: next[who] });
    const [cpu, postgres] = [cpuMs(pid), cpuMs(servers.postgresPid)];
    return {
      latenciesMs,
      ...{
        rps,
        requests: latenciesMs.length,
        cpuMs: cpu && cpu - (cpuFrom ?? 0),
        postgresMs: postgres && postgres - (postgresFrom ?? 0),
      },
    };
  };
  await route.prepare?.();
  const parties: Who[] = ["floor", ...(route.againstPlain ? (["plain"] as const) : []), "service"];
  for (const who of parties) await turn(who, warmUpMs);
  const measured: Round[] = [];
  const latenciesMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const made: Round = { service: null, floor: null, plain: null };
    for (const who of parties) {
      const { latenciesMs: taken, ...figures } = await turn(who, turnMs);
      made[who] = figures;
      if (who === "service") latenciesMs.push(...taken);
    }
    // A party that ran out of requests at once has no valid figures.
    if (parties.some((who) => (made[who]?.requests ?? 0) < connections)) break;
    measured.push(made);
  }
  if (measured.length === 0) throw new Error(`${route.name}: nothing was measured`);
  const plain = turnsOf("plain", measured);
  return {
    name: route.name,
    ratio: ratioTo("floor", measured),
    service: turnsOf("service", measured),
    floor: turnsOf("floor", measured),
    plain: route.againstPlain ? { ...plain, ratio: ratioTo("plain", measured) } : null,
    p50_ms: round(quantile(latenciesMs, 0.5), 2),
    p99_ms: round(quantile(latenciesMs, 0.99), 2),
  };
}

const ratioTo = (who: Who, rounds: readonly Round[]) =>
  round(median(rounds.map((made) => (made.service?.rps ?? 0) / (made[who]?.rps ?? 1))), 3);

function turnsOf(who: Who, rounds: readonly Round[]): Turns {
  const turns = rounds.flatMap((made) => made[who] ?? []);
  const requests = turns.reduce((sum, turn) => sum + turn.requests, 0);
  const each = (of: "cpuMs" | "postgresMs") =>
    turns.some((turn) => turn[of] === null)
      ? null
      : Math.round((turns.reduce((sum, turn) => sum + (turn[of] ?? 0), 0) / requests) * 1_000);
  return {
    rps: Math.round(median(turns.map(({ rps }) => rps))),
    cpu_us: each("cpuMs"),
    postgres_us: each("postgresMs"),
  };
}

/** Median latency of sequential requests, in ms. `request` is the same each time, or differs per turn. */
export async function measureLatency(
  port: number,
  request: string | ((turn: number) => string),
  count: number,
): Promise<number> {
  let left = count;
  const next = () => (left-- > 0 ? (typeof request === "string" ? request : request(left)) : null);
  const { latenciesMs } = await drive({ port, connections: 1, durationMs: 60_000, next });
  // Skips the first requests, which plan and warm up.
  return round(median(latenciesMs.slice(Math.ceil(count / 4))), 2);
}

const median = (values: readonly number[]) => quantile(values, 0.5);

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
