import { cpuMs } from "./cpu";
import { drive, quantile } from "./load";
import { type Route, rotate } from "./routes";

export type Pace = { connections: number; warmUpMs: number; turnMs: number; rounds: number };

/** A server: its port, and the process whose CPU time, with its children's, is its own. */
export type Servers = {
  service: { port: number; pid: number };
  floor: { port: number; pid: number };
  postgresPid: number;
};

/**
 * Requests per second (the median of the rounds), and CPU time per request in µs; null if the system doesn't
 * report it.
 */
export type Figures = { rps: number; cpu_us: number | null; postgres_us: number | null };

/** One load: by how many merchants, and the service beside the floor. */
export type LoadResult = {
  merchants: number;
  /** The service's rate relative to the floor's: the median of the rounds. */
  ratio: number;
  service: Figures;
  floor: Figures;
  p50_ms: number;
  p99_ms: number;
};

export type RouteResult = {
  name: string;
  wanted: number;
  one: LoadResult;
  many: LoadResult;
  /** The service's rate and CPU time (with PostgreSQL's) for many merchants, relative to one. */
  rate_of_many: number;
  cpu_of_many: number | null;
};

const LOADS = ["one", "many"] as const;
const SERVERS = ["floor", "service"] as const;
type Turn = { rps: number; requests: number; cpuMs: number | null; postgresMs: number | null };
type Round = Record<(typeof LOADS)[number], Record<(typeof SERVERS)[number], Turn>>;

/** Alternates between servers and loads, because a machine's speed varies over time. */
export async function measureRoute(route: Route, servers: Servers, pace: Pace): Promise<RouteResult> {
  const { connections, warmUpMs, turnMs, rounds } = pace;
  const requestsOf = { one: route.requests.slice(0, 1), many: route.requests };
  const nextOf = (load: keyof typeof requestsOf) => {
    const merchant = rotate(requestsOf[load]);
    return {
      service: () => merchant().service(),
      floor: () => {
        const path = merchant().floor();
        return path && `GET /${path.map(encodeURI).join("/")} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
      },
    };
  };
  const next = { one: nextOf("one"), many: nextOf("many") };
  const latencies: Record<(typeof LOADS)[number], number[]> = { one: [], many: [] };
  const turn = async (load: (typeof LOADS)[number], server: (typeof SERVERS)[number], durationMs: number) => {
    const { port, pid } = servers[server];
    const [cpuFrom, postgresFrom] = [cpuMs(pid), cpuMs(servers.postgresPid)];
    const { requestsPerSecond, latenciesMs } = await drive({ port, connections, durationMs, next: next[load][server] });
    const [cpu, postgres] = [cpuMs(pid), cpuMs(servers.postgresPid)];
    if (server === "service") latencies[load].push(...latenciesMs);
    const measured: Turn = {
      rps: requestsPerSecond,
      requests: latenciesMs.length,
      cpuMs: cpu && cpu - (cpuFrom ?? 0),
      postgresMs: postgres && postgres - (postgresFrom ?? 0),
    };
    if (measured.requests < connections) throw new Error(`${route.name}: the ${server} ran out of requests`);
    return measured;
  };
  await route.prepare?.();
  for (const load of LOADS) for (const server of SERVERS) await turn(load, server, warmUpMs);
  for (const load of LOADS) latencies[load].length = 0;
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const turns = { one: {}, many: {} } as Round;
    const order = LOADS.flatMap((load) => SERVERS.map((server) => ({ load, server })));
    for (const { load, server } of round % 2 === 0 ? order : order.reverse())
      turns[load][server] = await turn(load, server, turnMs);
    measured.push(turns);
  }
  const result = (load: (typeof LOADS)[number]): LoadResult => ({
    merchants: requestsOf[load].length,
    ratio: rounded(median(measured.map((turns) => turns[load].service.rps / turns[load].floor.rps))),
    service: figuresOf(measured.map((turns) => turns[load].service)),
    floor: figuresOf(measured.map((turns) => turns[load].floor)),
    p50_ms: rounded(median(latencies[load])),
    p99_ms: rounded(quantile(latencies[load], 0.99)),
  });
  const [one, many] = [result("one"), result("many")];
  const total = ({ cpu_us, postgres_us }: Figures) => (cpu_us && postgres_us ? cpu_us + postgres_us : null);
  const [cpuOfOne, cpuOfMany] = [total(one.service), total(many.service)];
  return {
    name: route.name,
    wanted: route.wanted,
    one,
    many,
    rate_of_many: rounded(median(measured.map((turns) => turns.many.service.rps / turns.one.service.rps))),
    cpu_of_many: cpuOfOne && cpuOfMany && rounded(cpuOfMany / cpuOfOne),
  };
}

function figuresOf(turns: readonly Turn[]): Figures {
  const requests = turns.reduce((sum, turn) => sum + turn.requests, 0);
  const perRequest = (time: "cpuMs" | "postgresMs") =>
    turns.some((turn) => turn[time] === null)
      ? null
      : Math.round((turns.reduce((sum, turn) => sum + (turn[time] ?? 0), 0) / requests) * 1_000);
  return {
    rps: Math.round(median(turns.map(({ rps }) => rps))),
    cpu_us: perRequest("cpuMs"),
    postgres_us: perRequest("postgresMs"),
  };
}

export type BurstResult = {
  /** Requests that the other merchant has in progress all the time. */
  connections: number;
  /** Median times of one merchant's payments, one after another: alone, and during the other's burst. */
  alone_ms: number;
  during_ms: number;
};

/** Payments of one merchant, one after another, alone and beside another merchant's burst. */
export async function measureBurst(
  port: number,
  next: { quiet: () => string; burst: () => string },
  { connections, turnMs, rounds }: { connections: number; turnMs: number; rounds: number },
): Promise<BurstResult> {
  const quiet = async () =>
    (await drive({ port, connections: 1, durationMs: turnMs, next: next.quiet })).latenciesMs.slice(1);
  const [alone, during]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    alone.push(...(await quiet()));
    const burst = drive({ port, connections, durationMs: turnMs, next: next.burst });
    during.push(...(await quiet()));
    await burst;
  }
  return { connections, alone_ms: rounded(median(alone)), during_ms: rounded(median(during)) };
}

const median = (values: readonly number[]) => quantile(values, 0.5);

const rounded = (value: number) => Number(value.toFixed(2));
