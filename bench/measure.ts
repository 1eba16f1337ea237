import { drive, quantile } from "./load";
import { floorRequest, type Route } from "./routes";

export type Pace = { connections: number; warmUpMs: number; turnMs: number; rounds: number };

export type RouteResult = {
  name: string;
  /** Of the service's requests per second to the floor's; the median of the rounds. */
  ratio: number;
  rps: number;
  floor_rps: number;
  p50_ms: number;
  p99_ms: number;
};

/** Floor and service in turns, because a machine is never equally fast for long. */
export async function measureRoute(
  route: Route,
  ports: { service: number; floor: number },
  pace: Pace,
): Promise<RouteResult> {
  const { connections, warmUpMs, turnMs, rounds } = pace;
  const floor = () => {
    const path = route.floor();
    return path && floorRequest(...path);
  };
  const next = { service: route.service, floor };
  const turn = (who: "service" | "floor", durationMs: number) =>
    drive({ port: ports[who], connections, durationMs, next: next[who] });
  await route.prepare?.();
  await turn("floor", warmUpMs);
  await turn("service", warmUpMs);
  const results: { rps: number; floorRps: number; latenciesMs: number[] }[] = [];
  for (let round = 0; round < rounds; round++) {
    const floor = await turn("floor", turnMs);
    const service = await turn("service", turnMs);
    // What ran dry at once measures nothing.
    if (service.latenciesMs.length < connections || floor.latenciesMs.length < connections) break;
    results.push({
      rps: service.requestsPerSecond,
      floorRps: floor.requestsPerSecond,
      latenciesMs: service.latenciesMs,
    });
  }
  if (results.length === 0) throw new Error(`${route.name}: nothing was measured`);
  const latenciesMs = results.flatMap((result) => result.latenciesMs);
  return {
    name: route.name,
    ratio: round(median(results.map(({ rps, floorRps }) => rps / floorRps)), 3),
    rps: Math.round(median(results.map(({ rps }) => rps))),
    floor_rps: Math.round(median(results.map(({ floorRps }) => floorRps))),
    p50_ms: round(quantile(latenciesMs, 0.5), 2),
    p99_ms: round(quantile(latenciesMs, 0.99), 2),
  };
}

/** Requests per second of three plain inserts in a transaction. */
export async function measurePlainInsert(
  port: number,
  { connections, warmUpMs, turnMs, rounds }: Pace,
): Promise<number> {
  const turn = (durationMs: number) => drive({ port, connections, durationMs, next: () => floorRequest("plain") });
  await turn(warmUpMs);
  const results: number[] = [];
  for (let round = 0; round < rounds; round++) results.push((await turn(turnMs)).requestsPerSecond);
  return Math.round(median(results));
}

/** Median time of one request after another, in milliseconds. */
export async function measureLatency(port: number, request: string, count: number): Promise<number> {
  let left = count;
  const next = () => (left-- > 0 ? request : null);
  const { latenciesMs } = await drive({ port, connections: 1, durationMs: 60_000, next });
  // The first ones plan and warm up.
  return round(median(latenciesMs.slice(Math.ceil(count / 4))), 2);
}

const median = (values: readonly number[]) => quantile(values, 0.5);

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
