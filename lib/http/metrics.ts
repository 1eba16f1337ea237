import { createHash, timingSafeEqual } from "node:crypto";
import { statfs } from "node:fs/promises";
import { collectDefaultMetrics, type Metric, Registry } from "prom-client";
import type { Database, Sql } from "@/db/client";
import { readDatabaseSize, readLedgerDifference, readServiceFigures } from "@/db/queries/service/figures";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { env } from "@/lib/env";
import { log } from "@/lib/log";
import { currentService } from "./current-service";
import { databaseMetrics, poolMetrics, requestMetrics } from "./metric-list";
import { headersOf, infoOf, refuse } from "./pipeline";
import { type ApiRequest, decidingHeader } from "./request-parts";
import type { HttpResponse } from "./response";

/** GET /metrics for Prometheus, with METRICS_TOKEN. Without that setting the page does not exist. */
export async function metrics(request: ApiRequest): Promise<HttpResponse> {
  const token = env.metricsToken;
  if (token === null) return refuse(request, null);
  if (request.method !== "GET" && request.method !== "HEAD") return refuse(request, ["GET"]);
  const headers = headersOf(infoOf(request));
  if (!isBearer(decidingHeader(request.headers, "Authorization"), token)) {
    return {
      status: 401,
      headers: {
        ...headers,
        "Content-Type": "text/plain; charset=utf-8",
        "WWW-Authenticate": 'Bearer realm="metrics"',
      },
      body: "Send the METRICS_TOKEN of this service as: Authorization: Bearer <token>.\n",
    };
  }
  return {
    status: 200,
    headers: { ...headers, "Content-Type": Registry.PROMETHEUS_CONTENT_TYPE },
    body: await metricsText(),
  };
}

/** Digests are compared: they have equal length, and the time that takes reveals nothing about the token. */
function isBearer(header: string | null, token: string): boolean {
  const given = /^Bearer +(\S{1,1000})$/i.exec(header ?? "")?.[1] ?? "";
  const digest = (text: string) => createHash("sha256").update(text, "latin1").digest();
  return timingSafeEqual(digest(given), digest(token));
}

/** Time limit of the database during a scrape; Prometheus itself waits ten seconds. */
const WAIT_MS = 2_500;
const FIGURES_MS = 10_000;
const LEDGER_MS = 60_000;
const SIZE_MS = 60_000;

/**
 * Reads at most once in `keepMs`, one read at a time. Null if it failed or takes too long; a late result
 * serves the next caller.
 */
function kept<T>(what: string, keepMs: number, read: (sql: Sql) => Promise<T>): (db: Database) => Promise<T | null> {
  let last: { db: Database; atMs: number; value: Promise<T | null> } | null = null;
  return async (db) => {
    if (last?.db !== db || performance.now() - last.atMs > keepMs) {
      const value = read(db.sql).catch((error: unknown) => {
        if (!isDatabaseUnavailable(error)) log.warn({ err: error, what }, "a figure for /metrics could not be read");
        return null;
      });
      last = { db, atMs: performance.now(), value };
    }
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), WAIT_MS);
    });
    const value = await Promise.race([last.value, limit]);
    clearTimeout(timer);
    return value;
  };
}

const serviceFigures = kept("open operations and queues", FIGURES_MS, readServiceFigures);
const ledgerDifference = kept("ledger difference", LEDGER_MS, readLedgerDifference);

const databaseBytes = kept("size of the database", SIZE_MS, readDatabaseSize);

/** Free bytes on the disk with DATA_DIR, which an embedded database uses; null without that folder. */
async function freeBytes(): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(env.dataDir);
    return bavail * bsize;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Counts of another process of the same service; null if it does not respond. */
type Sample = { readonly labels: object; readonly value: number };
type MetricFigure = { readonly name: string; readonly values: readonly Sample[] };
export type MetricFigures = readonly MetricFigure[];
type OtherFigures = () => Promise<MetricFigures | null>;
let figuresOfPages: OtherFigures = async () => null;

/** For a service with a separate process for pages. Called once at start-up. */
export function provideFiguresOfPages(figures: OtherFigures): void {
  figuresOfPages = figures;
}

let defaults: Registry | null = null;

/**
 * Event loop, memory and garbage collection are measured from the first scrape on: without metrics they cost
 * nothing.
 */
function processMetrics(): Registry {
  if (defaults === null) {
    defaults = new Registry();
    collectDefaultMetrics({ register: defaults });
  }
  return defaults;
}

/** Counts and resource use of this process. */
export async function ownFigures(): Promise<MetricFigures> {
  const own = new Registry();
  for (const each of [...requestMetrics(), ...poolMetrics(currentService().service.db)]) own.registerMetric(each);
  return [...(await own.getMetricsAsJSON()), ...(await processMetrics().getMetricsAsJSON())] as MetricFigures;
}

/** Another process's counters have their own label, because they restart with it. */
function withLabel(process: string, figures: MetricFigures): MetricFigures {
  const labelled = (value: Sample) => ({ ...value, labels: { ...value.labels, process } });
  return figures.map((figure) => ({ ...figure, values: figure.values.map(labelled) }));
}

/** One family per name, however many processes report it. */
function registryOf(figures: MetricFigures): Registry {
  const byName = new Map<string, MetricFigure>();
  for (const figure of figures) {
    const known = byName.get(figure.name);
    byName.set(figure.name, known ? { ...known, values: [...known.values, ...figure.values] } : figure);
  }
  const registry = new Registry();
  for (const figure of byName.values())
    registry.registerMetric({ ...figure, get: async () => figure } as unknown as Metric);
  return registry;
}

/** All metrics of this service: of its process, of the process for pages, and of the database. */
async function metricsText(): Promise<string> {
  const { db } = currentService().service;
  const [service, ledger, bytes, free] = await Promise.all([
    serviceFigures(db),
    ledgerDifference(db),
    databaseBytes(db),
    freeBytes(),
  ]);
  const found = new Registry();
  for (const each of databaseMetrics({ service, ledger, bytes, free })) found.registerMetric(each);
  const ofPages = withLabel("pages", (await figuresOfPages()) ?? []);
  const counted = registryOf([...(await ownFigures()), ...ofPages]);
  return `${await counted.metrics()}\n${await found.metrics()}`;
}
