import type { ApiCall } from "@/lib/contract/demo-shop";
import { liveLog } from "./live-log";

/** A POST to the shop's own server. What it says of its calls to the API goes into the log; throws when it cannot be reached. */
export async function askShop<T extends { calls: ApiCall[] }>(
  path: string,
  body: object,
  signal?: AbortSignal,
): Promise<T> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  const answer = (await response.json()) as T;
  liveLog.addCalls(answer.calls);
  return answer;
}
