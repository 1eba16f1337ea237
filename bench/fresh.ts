import { drive } from "./load";
import { createRequest } from "./routes";

export type FreshResult = {
  seconds: number;
  /** Payments a second on a database that was empty and never analyzed: in its first seconds, and in as many after them. */
  first_rps: number;
  second_rps: number;
  ratio: number;
};

/**
 * Connections keep the plans of their first seconds, when the tables are empty and every index looks alike: a service that has
 * just been installed must not be slow until statistics come.
 */
export async function measureFresh(
  port: number,
  { apiKey, connections, seconds }: { apiKey: string; connections: number; seconds: number },
): Promise<FreshResult> {
  const measure = async () => {
    const { requestsPerSecond } = await drive({
      ...{ port, connections, durationMs: seconds * 1_000, next: () => createRequest(apiKey) },
    });
    return Math.round(requestsPerSecond);
  };
  const first_rps = await measure();
  const second_rps = await measure();
  return { seconds, first_rps, second_rps, ratio: Number((first_rps / second_rps).toFixed(2)) };
}
