import { expect } from "vitest";
import type { Database } from "@/db/client";
import { processReport } from "@/lib/domain/payments/process-reports";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import type { Report } from "@/lib/processor/port";
import { createRegistry } from "@/lib/processor/registry";
import { eventsAsTold } from "../../fixtures/events";
import { type MoneyTenant, moneyTenant } from "../../fixtures/money";
import { faultsOfDoubles } from "./compare";
import { eventsOf, messageOf } from "./deliveries";
import { type Double, startDouble } from "./double";
import { connectorTo } from "./under-test";

export const TIMEOUT_MS = 1_500;

/** Merchants whose test payments go to Stripe doubles, which `atTheEnd` stops. */
export async function stripeTenants(db: Database, atTheEnd: (stop: () => Promise<unknown>) => void) {
  const doubles: Double[] = [];
  async function newDouble(): Promise<Double> {
    const started = await startDouble();
    doubles.push(started);
    return started;
  }
  const double = await newDouble();
  atTheEnd(() => Promise.all(doubles.map((one) => one.stop())));

  const newTenant = (at = double) =>
    moneyTenant(db, {
      processors: createRegistry({ sandbox: connectorTo(at, { name: "stripe", timeoutMs: TIMEOUT_MS }) }),
      processorTimeoutMs: TIMEOUT_MS,
    });

  /** Processes reports, each until it is accepted. */
  async function takeIn(tenant: MoneyTenant, reports: readonly Report[]): Promise<void> {
    const { from } = await reporterOf(tenant);
    for (const report of reports)
      await expect.poll(() => processReport(tenant.service, from, report), { timeout: 10_000 }).toBe(true);
  }

  /** Reports of all events about a tenant, in order of creation. */
  async function reportsOf(tenant: MoneyTenant): Promise<Report[]> {
    const { reports } = await reporterOf(tenant);
    const read = eventsOf(double, tenant.environmentId).map(async (event) => reports.read(messageOf(event)));
    return (await Promise.all(read)).flat();
  }

  async function expectClean(): Promise<void> {
    expect((await verifyBooks(db)).checks.filter((check) => check.count > 0)).toEqual([]);
    expect(await faultsOfDoubles(db, doubles)).toEqual([]);
  }

  /** A tenant's events, oldest first. */
  const listEvents = async (environmentId: string) =>
    (await eventsAsTold(db, environmentId)).map(({ event }) => event).toSorted((a, b) => (a.id < b.id ? -1 : 1));

  return { double, newDouble, newTenant, takeIn, reportsOf, expectClean, listEvents };
}

export async function reporterOf(tenant: MoneyTenant) {
  const from = await tenant.service.processors.reporter("stripe");
  if (from?.processor.reports.kind !== "pushed") throw new Error("it pushes its reports");
  return { from, reports: from.processor.reports };
}
