import { drive } from "./load";
import { createRequest } from "./routes";

export type FreshResult = {
  seconds: number;
  /** Payments per second on a new, never analyzed database: in its first seconds, and in as many after them. */
  first_rps: number;
  second_rps: number;
  ratio: number;
};

/**
 * Connections keep query plans from their first seconds, when the tables are empty and all indexes look
 * alike. A new installation must not stay slow until statistics exist.
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
