import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterAll, expect, test, vi } from "vitest";
import { connect } from "@/db/client";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { provideService } from "./current-service";
import { dispatch } from "./dispatch";
import { ready } from "./health";
import { textOf } from "./response";

const { db } = await testDatabase({ own: true });
const get = (path: string) => new Request(`http://localhost${path}`);

/** Accepts connections but never responds, like a stopped server or a firewall that drops packets. */
async function silentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `postgres://x@127.0.0.1:${(server.address() as AddressInfo).port}/x`;
}

test("it is ready while the database responds", async () => {
  provideService(testService(db));
  expect((await ready(get("/health/ready"))).status).toBe(200);
});

test("a silent database is 503 within two seconds, and gets one query at a time", async () => {
  const msForFive = async () => {
    const silent = connect(await silentServer(), { max: 2 });
    afterAll(() => silent.close());
    provideService(testService(silent));
    const started = performance.now();
    const answers = await Promise.all(Array.from({ length: 5 }, () => ready(get("/health/ready"))));
    const ms = performance.now() - started;
    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(JSON.parse(textOf(answer.body))).toMatchObject({ code: "database_unavailable" });
    }
    return ms;
  };
  // The probe waits 1.5 s of these; retried because a busy machine sometimes exceeds the rest.
  await expect.poll(msForFive, { timeout: 60_000, interval: 0 }).toBeLessThan(2_000);
});

test("a clock more than five seconds apart from the database's is not ready", async () => {
  provideService(testService({ ...db }));
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 7_000);
  const answer = await ready(get("/health/ready"));
  clock.mockRestore();
  expect(answer.status).toBe(503);
});

test("a database that cannot write for a full disk is 503 and not 500, for readiness and for requests", async () => {
  // Raises the server's own error code in a trigger, instead of filling the disk.
  await db.sql.unsafe(`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create trigger full_disk before insert or update on service_settings for each row execute function full_disk()`);
  vi.spyOn(performance, "now").mockImplementation(() => 1e9);
  provideService(testService({ ...db }));
  const answer = await ready(get("/health/ready"));
  vi.restoreAllMocks();
  await db.sql.unsafe("drop function full_disk cascade");
  expect(answer.status).toBe(503);
  expect(JSON.parse(textOf(answer.body))).toMatchObject({ code: "database_unavailable" });
  expect(answer.headers["Retry-After"]).toBe("1");
});

test("it is ready again as soon as the database is", async () => {
  provideService(testService(db));
  expect((await ready(get("/health/ready"))).status).toBe(200);
});

test("a trailing slash makes another path", async () => {
  provideService(testService(db));
  expect((await dispatch(get("/health/"), { ip: null })).status).toBe(404);
  expect((await dispatch(get("/health/live/"), { ip: null })).status).toBe(404);
});
