import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A parsed request to a double. */
export type DoubleRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};

export type DoubleAnswer = { status: number; headers?: Record<string, string>; body: string };

/**
 * A fault of one request. `lost before`: never arrives. `lost after`: executed, but the response is lost.
 * `late`: the connection breaks, and `releaseLate` executes it. `silent before` and `silent after`: no
 * response, without or with execution. Or a substitute response, with or without execution.
 */
export type Fault =
  | "lost before"
  | "lost after"
  | "late"
  | "reset"
  | "silent before"
  | "silent after"
  | { readonly answer: DoubleAnswer; readonly executed: boolean };

type Planned = { readonly path: RegExp; readonly fault: Fault; left: number };

export type DoubleServer = {
  readonly url: string;
  /** All requests received, with their paths. */
  readonly requests: readonly { method: string; path: string }[];
  /** The next `times` requests to a matching path meet this fault. */
  fault(path: RegExp, fault: Fault, times?: number): void;
  /** Executes late requests without responding. */
  releaseLate(): Promise<void>;
  clearFaults(): void;
  stop(): Promise<void>;
};

/** A processor's API on loopback. `execute` can break a connection by throwing {@link Hangup}. */
export async function startDouble(execute: (request: DoubleRequest) => Promise<DoubleAnswer>): Promise<DoubleServer> {
  const planned: Planned[] = [];
  const requests: { method: string; path: string }[] = [];
  const late: DoubleRequest[] = [];

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    requests.push({ method: request.method, path: request.path });
    const plan = planned.find(({ path, left }) => left > 0 && path.test(request.path));
    if (plan) plan.left--;
    const socket = incoming.socket;
    if (!plan) return send(response, await execute(request));
    switch (plan.fault) {
      case "lost before":
        return void socket.destroy();
      case "reset":
        return void socket.resetAndDestroy();
      case "late":
        late.push(request);
        return void socket.destroy();
      case "lost after":
        await execute(request);
        return void socket.destroy();
      case "silent before":
        return;
      case "silent after":
        return void (await execute(request));
      default:
        if (plan.fault.executed) await execute(request);
        return send(response, plan.fault.answer);
    }
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((failure) => {
      if (!(failure instanceof Hangup)) process.stderr.write(`a double failed: ${failure?.stack ?? failure}\n`);
      incoming.socket.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    fault: (path, fault, times = 1) => void planned.push({ path, fault, left: times }),
    async releaseLate() {
      for (const request of late.splice(0)) await execute(request);
    },
    clearFaults: () => void planned.splice(0),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Breaks the connection without a response. */
export class Hangup extends Error {}

async function readRequest(incoming: IncomingMessage): Promise<DoubleRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const url = new URL(incoming.url ?? "/", "http://double");
  return {
    method: incoming.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString("utf8"),
  };
}

function send(response: ServerResponse, { status, headers = {}, body }: DoubleAnswer): void {
  // The client has given up, which isn't an error of the double.
  if (response.destroyed) return;
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(body);
}
