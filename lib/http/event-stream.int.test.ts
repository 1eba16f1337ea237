import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testContext, testTenant } from "@/e2e/fixtures/factories";
import { encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import { currentService, provideService } from "./current-service";
import { openEventStream } from "./event-stream";
import { toResponse } from "./response";

const { db } = await testDatabase();
const { service, merchant } = await testTenant(db);
const ctx = testContext(service, merchant.test);

beforeEach(() => {
  vi.stubEnv("ANSWER_MB_PER_SECOND", "1");
  provideService(service);
});
afterEach(() => void vi.unstubAllEnvs());

test("under Next's own server a client that disconnects releases its slot", async () => {
  for (let i = 0; i < 6; i++) {
    const stream = await openEventStream(ctx, "leaves", null);
    const { body } = toResponse({ status: 200, headers: {}, body: "", stream });
    // Let the stream produce its first chunk, which then waits to be read.
    await new Promise((resolve) => setImmediate(resolve));
    await body?.cancel();
  }
});

test("a stream counts like any other response, and pauses while its client is over the limit", async () => {
  const [anchor, id] = [newId(), newId()];
  await db.sql`
    insert into events (environment_id, id, type, object_id, sequence, data)
    select ${merchant.test.id}::uuid, id, 'subscription_plan.updated', id, 1, '{}'
    from unnest(${[anchor, id]}::uuid[]) as row (id)`;
  const limits = currentService().responseLimiter;
  // Ten seconds' worth of burst, plus half a second's.
  limits.charge("reads", 10_500_000);
  expect(() => limits.check("reads")).toThrow("bytes per second");
  const charged = vi.spyOn(limits, "charge");
  const stream = await openEventStream(ctx, "reads", encodeId("event", anchor));
  const stop = new AbortController();
  for await (const piece of stream(stop)) {
    if (!piece.startsWith("id:")) continue;
    expect(limits.waitMs("reads")).toBeLessThan(50);
    expect(charged.mock.calls).toEqual([["reads", Buffer.byteLength(piece)]]);
    stop.abort();
  }
  expect(stop.signal.aborted).toBe(true);
});

test("streams of test mode leave room for those of live mode, however many accounts open them", async () => {
  const live = testContext(service, merchant.live);
  const refusalOf = (opening: Promise<unknown>) => opening.then(() => null).catch((error: Error) => error.message);
  const left: (() => Promise<unknown>)[] = [];
  const opened = async (of: typeof ctx, reader: string) => {
    const stream = (await openEventStream(of, reader, null))(new AbortController());
    await stream.next();
    left.push(() => stream.return());
  };
  let refusal: string | null = null;
  for (let i = 0; refusal === null && i < 100; i++)
    refusal = await refusalOf(opened(ctx, `account ${Math.floor(i / 5)}`));
  expect(refusal).toMatch(/^Too many event streams are open/);
  for (let i = 0; i < 5; i++) expect(await refusalOf(opened(live, "live"))).toBeNull();
  expect(await refusalOf(opened(live, "live"))).toMatch(/^At most 5 event streams/);
  for (const leave of left) await leave();
  expect(await refusalOf(opened(ctx, "account 0"))).toBeNull();
  await left.at(-1)?.();
});
