import "@/lib/server/load-environment";
import { EVENT_TYPES } from "@/lib/contract/events/event";
import { isHelpWanted, type Main, readArguments, runProgram, UsageError } from "@/lib/server/cli";
import { newSigningKeys, type SigningKeys, signedHeaders } from "@/lib/webhooks/signature";
import { causeOf } from "./replay/client";
import { sandboxKey, webAddress } from "./replay/options";

const USAGE =
  "npm run listen -- [--forward http://localhost:4000/webhooks] [--types payment.captured,refund.*] [--secret whsec_…] [--key sk_test_…] [--url http://localhost:3000]";
const TEXT = { type: "string" } as const;
const OPTIONS = { forward: TEXT, types: TEXT, secret: TEXT, key: TEXT, url: TEXT };
const AGAIN_MS = 2_000;
const FORWARD_LIMIT_MS = 15_000;

type Listening = {
  readonly key: string;
  readonly url: string;
  readonly forward: string | null;
  readonly types: ReadonlySet<string> | null;
  readonly keys: SigningKeys;
};

type Say = (line: string) => void;
/** An event as streamed; its text is what is signed. */
type Streamed = { readonly id: string; readonly type: string; readonly body: string };
/** The stream's first message has only an id, the starting point. */
type Message = Pick<Streamed, "id"> & { [Part in "type" | "body"]: string | undefined };

/** Forwards a sandbox's events, each signed as a webhook. Ends with Ctrl-C, or when the key is refused. */
export const main: Main = async (args, { stdout, stderr }) => {
  const say: Say = (line) => void stdout.write(`${line}\n`);
  if (isHelpWanted(args)) {
    say(`Usage: ${USAGE}`);
    return 0;
  }
  try {
    const listening = readListening(args);
    const { forward, keys } = listening;
    say(
      forward
        ? `Forwarding events to ${forward}`
        : "Listening. Add --forward http://localhost:4000/… to forward events.",
    );
    if (forward) say(`Signing secret: ${keys.secret}`);
    let last: string | null = null;
    for (;;) {
      last = await follow(listening, last, say);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  } catch (error) {
    const isUsage = error instanceof UsageError;
    stderr.write(isUsage ? `${error.message}\nUsage: ${USAGE}\n` : `${(error as Error).message}\n`);
    return isUsage ? 2 : 1;
  }
};

await runProgram(import.meta.url, main);

function readListening(args: string[]): Listening {
  const values = readArguments(args, OPTIONS, []) as Partial<Record<keyof typeof OPTIONS, string>>;
  const types = values.types?.split(",").flatMap((type) => typesNamed(type.trim()));
  if (values.secret !== undefined && !/^whsec_[A-Za-z\d+/]{32,}={0,2}$/.test(values.secret))
    throw new UsageError("--secret must start with whsec_, as an endpoint's secret does.");
  const keys = newSigningKeys();
  return {
    key: sandboxKey(values.key),
    url: webAddress(values.url),
    forward: values.forward === undefined ? null : webAddress(values.forward, "forward"),
    types: types ? new Set(types) : null,
    keys: { ...keys, secret: values.secret ?? keys.secret },
  };
}

/** The type, or all types of a group such as `transaction.*`. */
function typesNamed(name: string): readonly string[] {
  const found = EVENT_TYPES.filter(
    (type) => type === name || (name.endsWith(".*") && type.startsWith(name.slice(0, -1))),
  );
  if (found.length === 0) {
    throw new UsageError(`There is no event type '${name}'. All types are listed at /docs/webhooks#events.`);
  }
  return found;
}

/** Reads the stream until it breaks off; resolves to the last event's id, to resume after. */
async function follow(listening: Listening, last: string | null, say: Say): Promise<string | null> {
  const response = await fetch(`${listening.url}/v1/events/stream`, {
    headers: { "X-Api-Key": listening.key, ...(last !== null && { "Last-Event-ID": last }) },
  }).catch((error: Error) => {
    say(`No response from ${listening.url} (${causeOf(error)}): start the service with npm start. Trying again.`);
    return null;
  });
  if (response === null) return last;
  if (!response.ok || !response.body) {
    const { detail } = (await response.json().catch(() => ({}))) as { detail?: string };
    if (response.status < 500 && response.status !== 429)
      throw new Error(detail ?? `The service responded with ${response.status}.`);
    say(`${detail ?? `The service responded with ${response.status}.`} Trying again.`);
    return last;
  }
  if (last === null) say(`Ready: events of ${listening.url} appear here.`);
  let reached = last;
  try {
    for await (const { id, type, body } of eventsOf(response.body.pipeThrough(new TextDecoderStream()))) {
      const isWanted = type !== undefined && (listening.types === null || listening.types.has(type));
      if (isWanted && body !== undefined) await handOn(listening, { id, type, body }, say);
      reached = id;
    }
    say("The stream ended. Trying again.");
  } catch (error) {
    say(`The stream was interrupted (${causeOf(error as Error)}). Trying again.`);
  }
  return reached;
}

/** Parses server-sent events: blocks of `name: value` lines, separated by empty lines. */
async function* eventsOf(text: AsyncIterable<string>): AsyncGenerator<Message> {
  let unread = "";
  for await (const piece of text) {
    const blocks = (unread + piece).split("\n\n");
    unread = blocks.pop() ?? "";
    for (const block of blocks) {
      const lines = block
        .split("\n")
        .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(": ") + 2)]);
      const { id, event: type, data: body } = Object.fromEntries(lines) as Record<string, string | undefined>;
      if (id) yield { id, type, body };
    }
  }
}

async function handOn({ forward, keys }: Listening, { id, type, body }: Streamed, say: Say): Promise<void> {
  if (forward === null) return say(`${type}  ${id}`);
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const headers = { "content-type": "application/json", "user-agent": "Cardlane-Webhooks/1" };
  const signed = { ...headers, ...signedHeaders({ id, timestampSeconds, body }, [keys], "v1") };
  const started = performance.now();
  const outcome = await fetch(forward, {
    method: "POST",
    headers: signed,
    body,
    redirect: "manual" as const,
    signal: AbortSignal.timeout(FORWARD_LIMIT_MS),
  }).then(
    async (response) => {
      await response.body?.cancel();
      return String(response.status);
    },
    (error: Error) => causeOf(error),
  );
  say(`${type}  ${id}  → ${outcome}  ${Math.round(performance.now() - started)} ms`);
}
