import { connect, type Socket } from "node:net";

export type Load = {
  port: number;
  connections: number;
  durationMs: number;
  /** The raw text of the next request; null when there are no more. */
  next: () => string | null;
};

export type Measured = { requestsPerSecond: number; latenciesMs: number[] };

const NOTHING = Buffer.alloc(0);

/**
 * Closed loop over keep-alive connections: each sends its next request after the previous response. Uses raw
 * sockets, since on two cores a full client would cost as much as the service. Fails on any status but 2xx.
 */
export async function drive({ port, connections, durationMs, next }: Load): Promise<Measured> {
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const endAt = startedAt + durationMs;
  await Promise.all(Array.from({ length: connections }, () => keepSending(port, endAt, next, latenciesMs)));
  const seconds = (performance.now() - startedAt) / 1000;
  return { requestsPerSecond: latenciesMs.length / seconds, latenciesMs };
}

function keepSending(port: number, endAt: number, next: () => string | null, latenciesMs: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let sentAt = 0;
    let received: Buffer = NOTHING;
    const send = () => {
      const request = performance.now() < endAt ? next() : null;
      if (request === null) {
        socket.end();
        resolve();
        return;
      }
      sentAt = performance.now();
      socket.write(request);
    };
    socket.once("connect", send);
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the server closed the connection")));
    socket.on("data", (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      if (!isComplete(received)) return;
      const failure = failureOf(received);
      if (failure) {
        socket.destroy();
        reject(failure);
        return;
      }
      latenciesMs.push(performance.now() - sentAt);
      received = NOTHING;
      send();
    });
  });
}

/** True if the response is complete; both servers send its length. */
function isComplete(received: Buffer): boolean {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.toString("latin1", 0, headEnd))?.[1];
  if (length === undefined) throw new Error("an answer without Content-Length");
  return received.length >= headEnd + 4 + Number(length);
}

function failureOf(received: Buffer): Error | null {
  return received[9] === 0x32 ? null : new Error(`unexpected answer: ${received.toString("utf8").slice(0, 600)}`);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
