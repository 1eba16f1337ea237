import type { Answered } from "./statement-names";
import type { World } from "./world";

/**
 * What a run of thousands of seeds must have met, each at least once: without these it would prove little. A name stands where the
 * simulation sees the condition come about.
 */
export const CONDITIONS = [
  "an outcome is refused at the fence",
  "an outcome is worked out again",
  "ambiguous T1",
  "ambiguous T2",
  "an orphaned approval is found",
  "a repeat sends what its first request did not",
  "an authorization is sent again",
  "a capture against a void",
  "refunds against each other",
  "a stopped process wakes up and its operation is another's",
  "a report before its acceptance",
  "a report comes twice",
  "a key is used again after its day",
  "a session is paid once by several",
  "a token is used once by several",
  "a reference is closed",
  "a call comes too late",
  "the processor accepts and answers later",
  "a first request goes on after it was held up",
  "a repeat waits for the first request",
  "an answer is replayed",
  "a refusal: idempotency_key_reused",
  "a statement waits for a lock",
  "an authorization expires",
  "a challenge is abandoned",
  "staff find out about an operation of yesterday",
  "a connection lost within a transaction",
] as const;

type Result = { readonly answer: Answered } | { readonly error: Error };

/** Reads conditions off the statements that pass by. */
export function watch(world: World): (name: string, result: Result) => void {
  return (name, result) => {
    if ("error" in result) {
      if (name === "T2" && "code" in result.error && result.error.code === "CL001") {
        world.sometimes("an outcome is refused at the fence or is stale");
      }
      return;
    }
    const rows = result.answer;
    switch (name) {
      case "time while held":
        world.sometimes(rows.length === 0 ? "an outcome is refused at the fence" : "an outcome is worked out again");
        if (rows.length === 0 && world.actor.process?.wasStopped) {
          world.sometimes("a stopped process wakes up and its operation is another's");
        }
        break;
      case "find key":
        if (rows[0]?.state === "running") world.sometimes("a repeat waits for the first request");
        break;
      case "hold to resend":
        if (rows.length > 0) world.sometimes("a repeat sends what its first request did not");
        break;
      case "hold again":
        if (rows.length > 0) world.sometimes("a first request goes on after it was held up");
        break;
      case "find operation":
        if (rows[0]?.state === "open" && world.actor.name.startsWith("reports")) {
          world.sometimes("a report before its acceptance");
        }
        break;
    }
  };
}
