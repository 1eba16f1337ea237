import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { connect } from "@/db/client";
import { OwnServer } from "../fixtures/own-server";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { Client, paymentBody } from "./client";
import { reportFigure } from "./figures";
import { type ProofHost, startHost } from "./host";
import { expectMoneyOncePerKey, expectStableAnswers, Load } from "./load";
import { createTenant } from "./tenant";

/** Mounting a separate disk requires root. */
const disk = mkdtempSync(join(tmpdir(), "cardlane-disk-"));
const isMounted =
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=320m", "tmpfs", disk], { stdio: "ignore" }).status === 0;
afterAll(() => {
  if (isMounted) spawnSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true, force: true });
});

const DATABASE = "cardlane";
const FULL_MS = 25_000;
const BACK_MS = 10_000;

/** Fills the disk completely; the returned function frees the space. */
function fill(): () => void {
  const ballast = join(disk, "ballast");
  const file = openSync(ballast, "w");
  for (let bytes = 1 << 20; bytes >= 512; ) {
    try {
      writeSync(file, Buffer.alloc(bytes));
    } catch {
      bytes >>= 1;
    }
  }
  closeSync(file);
  return () => rmSync(ballast);
}

type Sample = { atMs: number; payment: number; read: number; readiness: number };

async function sample(host: ProofHost, apiKey: string): Promise<Sample> {
  const atMs = performance.now();
  const statusOf = (path: string, init: RequestInit = {}) =>
    fetch(host.baseUrl + path, {
      ...init,
      headers: { "X-Api-Key": apiKey, "X-Idempotency-Key": randomUUID(), "Content-Type": "application/json" },
      signal: AbortSignal.timeout(30_000),
    }).then((response) => response.text().then(() => response.status));
  const [payment, read, readiness] = await Promise.all([
    statusOf("/v1/payments", { method: "POST", body: JSON.stringify(paymentBody()) }),
    statusOf("/v1/payments"),
    statusOf("/health/ready"),
  ]);
  return { atMs, payment, read, readiness };
}

const counted = (values: readonly number[]) =>
  Object.fromEntries([...new Set(values)].map((value) => [value, values.filter((one) => one === value).length]));

test.skipIf(!isMounted)(
  "a full disk is 503 and not ready, and everything continues once there is space again (skipped without root)",
  async () => {
    const settings = { min_wal_size: "32MB", max_wal_size: "64MB" };
    const server = await OwnServer.create(settings, disk);
    onTestFinished(async () => {
      await server.stop();
      server.remove();
    });
    await server.start();
    const admin = server.sql("postgres");
    await admin.unsafe(`create database ${DATABASE}`);
    await admin.end();
    const url = server.url(DATABASE);
    const host = await startHost({ databaseUrl: url });
    onTestFinished(() => host.stop());
    const setUp = connect(url, { max: 2 });
    const tenant = await createTenant(setUp);
    await setUp.close();
    const client = new Client(tenant.apiKey, () => host.baseUrl);
    const load = new Load(client, 6);
    await wait(3_000);
    const samples: Sample[] = [];
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        samples.push(await sample(host, tenant.apiKey));
        await wait(100);
      }
    })();
    const makeRoom = fill();
    const fullMs = performance.now();
    process.stdout.write(`${execFileSync("df", ["-k", disk], { encoding: "utf8" })}`);
    await wait(FULL_MS);
    makeRoom();
    // A server that can't even write its log exits, and its supervisor restarts it.
    const restarted = await server.startAgain();
    const roomMs = performance.now();
    await expect
      .poll(() => samples.at(-1), { timeout: BACK_MS, interval: 50 })
      .toMatchObject({ payment: 201, readiness: 200 });
    const backMs = performance.now() - roomMs;
    await load.stop();
    isOver = true;
    await watching;
    const full = samples.filter(({ atMs }) => atMs > fullMs && atMs < roomMs - 1_000);
    reportFigure(
      `full: payments ${JSON.stringify(counted(full.map(({ payment }) => payment)))}, reads ${JSON.stringify(
        counted(full.map(({ read }) => read)),
      )}, readiness ${JSON.stringify(counted(full.map(({ readiness }) => readiness)))}; ${
        restarted ? "PostgreSQL had ended" : "PostgreSQL went on"
      }; back after ${Math.round(backMs)} ms; ${load.answered.length} keys`,
    );
    const wrong = full.filter(({ payment, read }) => payment === 500 || read === 500);
    expect(wrong).toEqual([]);
    const late = full.filter(({ atMs }) => atMs > fullMs + 12_000);
    expect(late.length).toBeGreaterThan(3);
    expect(late.filter(({ payment, readiness }) => payment !== 503 || readiness !== 503)).toEqual([]);
    const db = connect(url, { max: 3 });
    await untilNothingIsOpen(db);
    await expectStableAnswers(load);
    await expectMoneyOncePerKey(db, load, tenant.environmentId);
    await expectCleanBooks(db);
    await db.close();
  },
);
