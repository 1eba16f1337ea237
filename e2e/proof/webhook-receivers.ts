import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { DeliveryClock } from "./webhook-clock";

/** A receiver's reaction to a message. `receipts`: messages received; `sameId`: those with this id. */
type Behavior = (answer: ServerResponse, got: { receipts: number; sameId: number }) => void;

const answers =
  (status: number, headers: Record<string, string> = {}): Behavior =>
  (answer) =>
    answer.writeHead(status, headers).end("as I always do");

export const RETRY_AFTER_S = 7_200;
/** A flaky receiver accepts a message on this attempt. */
export const FLAKY_TAKES = 4;
/** Messages that a `goes` receiver accepts before it responds with 410. */
const GONE_AFTER = 2;

/** Nearly every way to refuse a message; `redirects` points to a receiver that must never be called. */
const BEHAVIORS = {
  takes: answers(200),
  fails: answers(500),
  hangs: () => {},
  redirects: (answer) => answer.writeHead(307, { location: "/elsewhere" }).end(),
  postpones: answers(429, { "retry-after": String(RETRY_AFTER_S) }),
  goes: (answer, { receipts }) => answer.writeHead(receipts > GONE_AFTER ? 410 : 200).end(),
  garbles: (answer) => answer.socket?.end("220 mail.example ESMTP\r\n"),
  "hangs up": (answer) => answer.destroy(),
  flickers: (answer, { sameId }) => answer.writeHead(sameId < FLAKY_TAKES ? 503 : 204).end(),
} satisfies Record<string, Behavior>;
export type Kind = keyof typeof BEHAVIORS;

/** A third of all receivers; the rest accept everything. */
export const BAD_KINDS = Object.keys(BEHAVIORS).filter((kind) => kind !== "takes") as Exclude<Kind, "takes">[];

export type Receipt = {
  readonly headers: Record<string, string>;
  readonly body: string;
  /** `at` follows the services' clock, `atMs` a monotonic one. */
  readonly at: number;
  readonly atMs: number;
  /** Null: no status was sent. */
  status: number | null;
};

export type Receiver = { readonly url: string; readonly kind: Kind; readonly receipts: Receipt[] };

/** Merchants' servers, all on one port. */
export class Receivers {
  readonly all: Receiver[] = [];
  /** Messages to paths that no endpoint names. */
  readonly strays: string[] = [];
  readonly #server = createServer((request, response) => this.#receive(request, response));

  constructor(readonly clock: DeliveryClock) {}

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  add(kind: Kind): Receiver {
    const { port } = this.#server.address() as AddressInfo;
    const receiver: Receiver = { url: `http://127.0.0.1:${port}/${this.all.length}`, kind, receipts: [] };
    this.all.push(receiver);
    return receiver;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const receiver = this.all[Number(request.url?.slice(1))];
      if (receiver === undefined) {
        this.strays.push(request.url ?? "");
        response.writeHead(200).end();
        return;
      }
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const receipt: Receipt = {
        headers,
        body: Buffer.concat(pieces).toString(),
        status: null,
        at: this.clock.now().getTime(),
        atMs: performance.now(),
      };
      receiver.receipts.push(receipt);
      response.once("finish", () => {
        receipt.status = response.statusCode;
      });
      const id = headers["webhook-id"];
      const sameId = receiver.receipts.filter((other) => other.headers["webhook-id"] === id).length;
      BEHAVIORS[receiver.kind](response, { receipts: receiver.receipts.length, sameId });
    });
  }
}
