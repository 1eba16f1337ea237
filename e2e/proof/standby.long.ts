import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "@/db/client";
import { OwnServer } from "../fixtures/own-server";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { Client, paymentBody } from "./client";
import { reportFigure } from "./figures";
import { startHost } from "./host";
import { expectMoneyOncePerKey, expectStableAnswers, Load } from "./load";
import { createTenant } from "./tenant";

const LANES = 6;
const WRITES_WITHIN_MS = 5_000;
const DATABASE = "cardlane";

/** A primary that confirms nothing before its standby has it, and that standby. */
const pair = () => OwnServer.pair(DATABASE, { replication: { synchronous_standby_names: "standby" } });

type Sample = { atMs: number; status: number; readiness: number };

test.each(["SIGKILL", "SIGINT"] as const)(
  "a standby promoted after %s of the primary is writable within five seconds, and nothing is lost",
  async (signal) => {
    const [primary, standby] = await pair();
    const url = `postgres://${primary.credentials}@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${DATABASE}?target_session_attrs=read-write`;
    const host = await startHost({ databaseUrl: url });
    onTestFinished(async () => {
      await host.stop();
      for (const server of [primary, standby]) {
        await server.stop();
        server.remove();
      }
    });
    const setUp = connect(primary.url(DATABASE), { max: 2 });
    const tenant = await createTenant(setUp);
    await setUp.close();
    const client = new Client(tenant.apiKey, () => host.baseUrl);

    const samples: Sample[] = [];
    const statusOf = (path: string, init?: RequestInit) =>
      fetch(host.baseUrl + path, { ...init, signal: AbortSignal.timeout(20_000) }).then(async (response) => {
        await response.text();
        return response.status;
      });
    const pay = () =>
      statusOf("/v1/payments", {
        method: "POST",
        headers: { "X-Api-Key": tenant.apiKey, "X-Idempotency-Key": randomUUID(), "Content-Type": "application/json" },
        body: JSON.stringify(paymentBody()),
      });
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const atMs = performance.now();
        const [status, readiness] = await Promise.all([pay(), statusOf("/health/ready")]);
        samples.push({ atMs, status, readiness });
        await wait(50);
      }
    })();
    const load = new Load(client, LANES);
    await wait(3_000);
    const stoppedMs = performance.now();
    await primary.stop(signal);
    await wait(4_000);
    const admin = standby.sql("postgres");
    await admin`select pg_promote()`;
    const promotedMs = performance.now();
    await admin.end();
    await wait(WRITES_WITHIN_MS);
    await load.stop();
    isOver = true;
    await watching;

    const before = samples.filter(({ atMs }) => atMs < stoppedMs - 500);
    const between = samples.filter(({ atMs }) => atMs > stoppedMs + 1_500 && atMs < promotedMs - 500);
    const first = samples.find(({ atMs, status }) => atMs > stoppedMs + 500 && status === 201);
    reportFigure(
      `${signal}: ${before.length} before, ${between.length} between, writing ${Math.round((first?.atMs ?? Number.NaN) - promotedMs)} ms after the promotion, ${load.answered.length} keys`,
    );
    expect(before.length).toBeGreaterThan(0);
    expect(before.filter(({ status, readiness }) => status !== 201 || readiness !== 200)).toEqual([]);
    expect(between.length).toBeGreaterThan(3);
    expect(between.filter(({ status, readiness }) => status !== 503 || readiness !== 503)).toEqual([]);
    expect((first?.atMs ?? Number.POSITIVE_INFINITY) - promotedMs).toBeLessThan(WRITES_WITHIN_MS);
    const since = samples.filter(({ atMs }) => atMs > promotedMs + WRITES_WITHIN_MS);
    expect(since.filter(({ status, readiness }) => status !== 201 || readiness !== 200)).toEqual([]);

    const db = connect(standby.url(DATABASE), { max: 3 });
    await untilNothingIsOpen(db);
    await expectStableAnswers(load);
    await expectMoneyOncePerKey(db, load, tenant.environmentId);
    await expectCleanBooks(db);
    await db.close();
  },
);
