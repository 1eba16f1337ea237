import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What stands between a service and its database, and can fail as networks and servers do. */
export type TcpProxy = {
  /** The same database, by way of the proxy. */
  readonly url: string;
  /** Connections are still taken, and nothing passes any more. */
  fallSilent(): void;
  /** What was held back passes again. */
  resume(): void;
  /** Nothing that the server answers passes any more, while what it is sent does. */
  loseAnswers(): void;
  /** Ends all connections at once. */
  cut(): void;
  /** Ends all connections, and takes no more: nobody listens there. */
  refuse(): Promise<void>;
  /** Listens again, in the same place. */
  accept(): Promise<void>;
  /** How many connections there are. */
  count(): number;
  close(): Promise<void>;
};

/** A proxy in front of the PostgreSQL at `url`, on a free port unless one is given. */
export async function startTcpProxy(url: string, port = 0): Promise<TcpProxy> {
  const target = new URL(url);
  const pairs = new Set<{ near: Socket; far: Socket }>();
  let mode: "passes" | "silent" | "one way" = "passes";
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const pair = { near, far };
    pairs.add(pair);
    const end = () => {
      near.destroy();
      far.destroy();
      pairs.delete(pair);
    };
    for (const socket of [near, far]) socket.on("error", end).on("close", end);
    near.on("data", (bytes) => far.write(bytes));
    far.on("data", (bytes) => near.write(bytes));
    apply(pair);
  });
  const apply = ({ near, far }: { near: Socket; far: Socket }) => {
    if (mode === "silent") near.pause();
    else near.resume();
    if (mode === "passes") far.resume();
    else far.pause();
  };
  const turn = (next: typeof mode) => {
    mode = next;
    for (const pair of pairs) apply(pair);
  };
  const listen = (at: number) => new Promise<void>((resolve) => void server.listen(at, "127.0.0.1", resolve));
  await listen(port);
  const own = (server.address() as AddressInfo).port;
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String(own);
  const cut = () => {
    for (const { near, far } of pairs) {
      near.destroy();
      far.destroy();
    }
  };
  const refuse = () => {
    cut();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  };
  return {
    url: through.href,
    fallSilent: () => turn("silent"),
    resume: () => turn("passes"),
    loseAnswers: () => turn("one way"),
    cut,
    refuse,
    accept: () => listen(own),
    count: () => pairs.size,
    close: refuse,
  };
}
