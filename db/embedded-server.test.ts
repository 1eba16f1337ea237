import { createServer, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { single } from "./embedded-server";

const OK = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** A server that accepts every login and dies on the first statement. */
async function dyingServer(): Promise<{ port: number; statements: () => string[] }> {
  const statements: string[] = [];
  const welcome = (socket: Socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(Buffer.concat([OK, READY]));
      socket.once("data", (bytes) => {
        statements.push(bytes.toString("latin1"));
        socket.destroy();
      });
    });
  };
  const server = createServer(welcome);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as { port: number }).port, statements: () => statements };
}

test("a server that dies right after the login fails the statement, not the process", {
  timeout: 20_000,
}, async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  onTestFinished(() => void process.off("unhandledRejection", unhandled));
  const { port, statements } = await dyingServer();
  const sql = single({ port, password: "none" });
  await expect(sql`select 'of the supervisor'`).rejects.toThrow("CONNECTION_CLOSED");
  await sql.end({ timeout: 0 });
  await new Promise((next) => setImmediate(next));
  expect(statements().every((text) => text.includes("of the supervisor"))).toBe(true);
  expect(unhandled).not.toHaveBeenCalled();
});
