import { type AddressInfo, connect, createServer } from "node:net";

/** A way to a PostgreSQL on which statements lose what keeps them to one environment. */
export type UnscopedProxy = {
  readonly url: string;
  /** Texts of the statements that lost something, as they were sent. */
  readonly rewritten: ReadonlySet<string>;
  close(): Promise<void>;
};

const PARSE = "P".charCodeAt(0);
const QUERY = "Q".charCodeAt(0);
const COLUMN = String.raw`(?:"?\w+"?\.)*"?environment_id"?`;
/** `environment_id = $1`: the parameter stays, and says nothing any more. */
const GIVEN = new RegExp(String.raw`${COLUMN}\s*=\s*(\$\d+)(?:::uuid)?`, "gi");
const JOINED = new RegExp(String.raw`${COLUMN}\s*=\s*${COLUMN}`, "gi");

export const withoutEnvironment = (text: string): string =>
  text.replace(GIVEN, "($1::uuid is not null)").replace(JOINED, "true");

/** Takes `environment_id = …` out of every statement on its way to the server at `url`: each query as if it forgot it. */
export async function startUnscopedProxy(url: string): Promise<UnscopedProxy> {
  const target = new URL(url);
  const rewritten = new Set<string>();
  const sockets = new Set<{ destroy(): unknown }>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    sockets.add(near).add(far);
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on("error", end).on("close", end);
    far.on("data", (bytes) => near.write(bytes));
    let held = Buffer.alloc(0);
    let isStarted = false;
    near.on("data", (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      // The first message alone has no letter before its length.
      for (let head = isStarted ? 1 : 0; held.length >= head + 4; head = 1) {
        const end = head + held.readUInt32BE(head);
        if (held.length < end) return;
        far.write(isStarted ? rewrite(held.subarray(0, end), rewritten) : held.subarray(0, end));
        held = held.subarray(end);
        isStarted = true;
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    rewritten,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Parse is a name and the text, Query the text alone; both end in a zero, and Parse goes on with the parameters' types. */
function rewrite(message: Buffer, rewritten: Set<string>): Buffer {
  const kind = message[0];
  if (kind !== PARSE && kind !== QUERY) return message;
  const from = kind === PARSE ? message.indexOf(0, 5) + 1 : 5;
  const to = message.indexOf(0, from);
  const text = message.toString("utf8", from, to);
  const changed = withoutEnvironment(text);
  if (changed === text) return message;
  rewritten.add(text);
  const made = Buffer.concat([message.subarray(0, from), Buffer.from(changed), message.subarray(to)]);
  made.writeUInt32BE(made.length - 1, 1);
  return made;
}
