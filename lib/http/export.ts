import { z } from "zod";
import { EXPORTS_AT_ONCE } from "@/db/client";
import { abortAfter } from "@/lib/clock";
import { type DashboardEndpoint, dashboardEndpoint } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import { DEFAULT_LOCALE, isExportFormat, isLocale } from "@/lib/contract/reporting/export-formats";
import { EXPORT_FIELDS, type ExportField, exportFieldsOf } from "@/lib/contract/transactions/export";
import { offsetAt } from "@/lib/contract/transactions/time-range";
import { type SearchTransactionsBody, searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import type { Mode } from "@/lib/contract/transactions/words";
import { type AccountAction, accountActor, recordAccountAct } from "@/lib/domain/accounts/activity";
import { environmentNow } from "@/lib/domain/context";
import { exportTransactions } from "@/lib/domain/transactions/export-transactions";
import { acquireAll, Semaphore, type Slot } from "@/lib/semaphore";
import { currentService } from "./current-service";
import { type UserCall, userCall } from "./dashboard";
import { failureResponse, headersOf, infoOf } from "./pipeline";
import { createLimiter } from "./rate-limit";
import { toResponse } from "./response";
import { isAccessOld, watchAccess } from "./revocation";
import { requireSameOrigin } from "./session-caller";
import { FILE_TYPES, type SheetOptions, sheetParts } from "./spreadsheet";
import { columnsForPeople, columnsForPrograms } from "./transaction-sheet";

const ENDPOINT = dashboardEndpoint({
  name: "exportTransactions",
  method: "GET",
  path: "/{mode}/transactions/export",
  permission: "transaction.read",
  status: 200,
  response: z.unknown(),
});

/** Parses the page's own parameters. `problems`: parameters that are invalid. */
type ReadSearch = (
  params: URLSearchParams,
  timeZone: string,
  /** The environment's time. */
  now: Date,
) => { search: unknown; problems: readonly { param: string; message: string }[] };

/**
 * Streams the whole result of a search as a file. `columns` names the table's columns, comma-separated; by
 * default the file has all. `X-Total-Count` is the number of rows after the headings, so that a truncated
 * file can be recognized.
 */
export function exportRoute(request: Request, mode: string, read: ReadSearch): Promise<Response> {
  return streamExport(ENDPOINT, request, { mode }, ({ ctx, merchant }, style) => {
    const params = new URL(request.url).searchParams;
    for (const name of STYLE_PARAMS) params.delete(name);
    const fields = fieldsOf(params);
    const columns = style.format === "csv" ? columnsForPrograms(fields) : columnsForPeople(fields);
    const search = searchOf(params, merchant.timeZone, environmentNow(ctx), read);
    return {
      name: `transactions-${mode}-${stampOf(ctx.service.clock.now(), merchant.timeZone)}`,
      act: ["settings.transactions_exported", { mode, filters: Object.keys(search.filters) }],
      async open() {
        const opened = await exportTransactions(ctx, search);
        return {
          parts: sheetParts(opened.batches, columns, { ...style, title: "Transactions" }),
          // Buffering by a proxy would hide the progress.
          headers: { "X-Total-Count": String(opened.total), "X-Accel-Buffering": "no" },
          close: opened.close,
        };
      },
    };
  });
}

type FileExport = {
  /** File name without its extension. */
  name: string;
  headers?: Record<string, string>;
  /** Entry in the account's history. */
  act: [action: AccountAction, detail: Record<string, unknown>];
  open(): Promise<{ parts: FileParts; headers?: Record<string, string>; close?(): Promise<void> }>;
};
type FileParts = AsyncGenerator<string | Uint8Array, void>;

export type FileStyle = Omit<SheetOptions, "title">;
export const STYLE_PARAMS = ["format", "locale"] as const;

/** Parameters of every export: the file format, and for CSV made for Excel the locale of its separators. */
function styleOf(request: Request, timeZone: string): FileStyle {
  const params = new URL(request.url).searchParams;
  const [format = "csv", locale = DEFAULT_LOCALE] = STYLE_PARAMS.map((name) => params.get(name) ?? undefined);
  if (!isExportFormat(format))
    throw new AppError("invalid_parameter", "Use csv, csv_excel or xlsx as the format.", { param: "format" });
  if (!isLocale(locale))
    throw new AppError("invalid_parameter", "Use a locale such as en-US or de-DE.", { param: "locale" });
  return { format, locale, timeZone };
}

/** Streams a file to our own page. Takes an export slot, and records the export in the account's history. */
export async function streamExport(
  endpoint: DashboardEndpoint,
  request: Request,
  params: Record<string, string>,
  prepare: (call: UserCall, style: FileStyle) => FileExport | Promise<FileExport>,
): Promise<Response> {
  const { service } = currentService();
  const info = infoOf(request);
  const headers = headersOf(info);
  const checkedAtMs = performance.now();
  let release = () => {};
  let stopWatching = () => {};
  try {
    requireOwnPage(request);
    const call = await userCall(endpoint, request, params, info);
    const { ctx, merchant } = call;
    const style = styleOf(request, merchant.timeZone);
    const { name, act, open, ...file } = await prepare(call, style);
    const { type, extension } = FILE_TYPES[style.format];
    const fileHeaders = {
      ...headers,
      "Content-Type": type,
      "Content-Disposition": `attachment; filename="${name}.${extension}"`,
      ...file.headers,
    };
    // A HEAD request must not run the queries of `open`.
    if (request.method === "HEAD") return new Response(null, { headers: fileHeaders });
    const slot = await acquireExportSlot(merchant.id, { mode: ctx.environment.mode, gone: request.signal });
    release = slot.release;
    if (isAccessOld(checkedAtMs)) await ctx.reauthorize();
    const revoked = new AbortController();
    stopWatching = watchAccess(ctx, () => revoked.abort());
    // The account's history is in its live environment, whichever environment was exported.
    const { orm } = service.db.within(merchant.environments.live);
    await recordAccountAct(orm, accountActor(ctx), act[0], ctx.environment.id, act[1]);
    const { parts, close, ...opened } = await open();
    const body = exportStream({
      parts,
      signal: AbortSignal.any([request.signal, slot.signal, revoked.signal]),
      sent: slot.note,
      close() {
        stopWatching();
        void Promise.resolve(close?.()).finally(release);
      },
      failed: (error) => service.log.error({ err: error, request_id: headers["X-Request-Id"] }, "an export failed"),
    });
    return new Response(body, { headers: { ...fileHeaders, ...opened.headers } });
  } catch (thrown) {
    stopWatching();
    release();
    return toResponse(failureResponse(thrown, info, headers));
  }
}

/** Prevents a link on another site from starting an export. An address that the user typed has no site. */
export function requireOwnPage(request: Request): void {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "none") requireSameOrigin(request.headers, currentService().service.baseUrl);
}

function fieldsOf(params: URLSearchParams): readonly ExportField[] {
  const columns = params.get("columns");
  if (columns === null) return EXPORT_FIELDS;
  const fields = exportFieldsOf(columns.split(",").filter(Boolean));
  if (fields && fields.length > 0) return fields;
  throw new AppError("invalid_parameter", "The export has no such columns. Reload the page and try again.", {
    param: "columns",
  });
}

function searchOf(
  params: URLSearchParams,
  timeZone: string,
  now: Date,
  read: ReadSearch,
): Pick<SearchTransactionsBody, "filters" | "sort"> {
  const own = new URLSearchParams(params);
  own.delete("columns");
  const { search, problems } = read(own, timeZone, now);
  refuseProblems(problems);
  const parsed = searchTransactionsBody.safeParse(search);
  if (parsed.success) return parsed.data;
  throw new AppError("invalid_parameter", parsed.error.issues[0]?.message ?? "A filter cannot be read.");
}

/** Ignoring a filter would export more than the user sees. */
export function refuseProblems(problems: readonly { param: string; message: string }[]): void {
  const errors = problems.map(({ param, message }) => ({ param, code: "invalid_parameter" as const, message }));
  if (errors.length > 0) throw new AppError("invalid_parameter", "A filter cannot be read.", { errors });
}

/** `20261121-143005` in the business's time zone, which its date filters use, too. */
export function stampOf(at: Date, timeZone: string): string {
  const local = new Date(at.getTime() + offsetAt(timeZone, at.getTime())).toISOString();
  return local.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}

/** An export with a lower average rate than this is ended when another one needs its slot. */
const FLOOR_BYTES_PER_MS = 100;
/** Time before the rate counts: the first rows of a large search take a moment. */
const GRACE_MS = 5_000;

const exportLimiter = createLimiter("exports");

type ExportSlot = {
  /** Aborted when the slot is given to another export. */
  readonly signal: AbortSignal;
  /** Adds bytes that the client received. */
  note(bytes: number): void;
  release(): void;
};

type RunningExport = {
  readonly mode: Mode;
  readonly startedMs: number;
  bytes: number;
  readonly ended: AbortController;
  release(): void;
};

/** Running exports by merchant id. */
const running = new Map<string, RunningExport>();
/** Slots of exports, each of which holds a database connection. */
const slots = new Semaphore({ slots: EXPORTS_AT_ONCE, perKey: 1 });
/** Slots of test mode, which leaves one slot to live mode. */
const testSlots = new Semaphore({ slots: EXPORTS_AT_ONCE - 1 });
/**
 * Time that an export waits for a slot, which others may hold for the minutes that a million rows take. It leaves time
 * to count the rows: a response that starts after a page's time limit is replaced by an outage.
 */
const SLOT_WAIT_MS = 15_000;
/** Interval at which a waiting export looks for a slow one. */
const LOOK_MS = 500;

/**
 * Acquires a slot for an export. A merchant has at most one slot and a few exports per hour, and test mode
 * leaves one slot to live mode. If all are taken, the slowest export under the minimum rate loses its slot.
 * Throws 429 if none becomes free in time.
 */
export async function acquireExportSlot(
  merchantId: string,
  { mode = "live", now = () => performance.now(), gone, waitMs = SLOT_WAIT_MS }: TakeOptions = {},
): Promise<ExportSlot> {
  exportLimiter.check(merchantId);
  const makeRoom = () => {
    if (!running.has(merchantId) && isFull(mode)) endSlowest(now(), mode === "test" ? "test" : null);
  };
  makeRoom();
  const looking = setInterval(makeRoom, LOOK_MS);
  const slot = await acquireSlot(merchantId, mode, waitMs, gone).finally(() => clearInterval(looking));
  try {
    exportLimiter.check(merchantId);
  } catch (error) {
    slot.release();
    throw error;
  }
  exportLimiter.take(merchantId);
  const own: RunningExport = { mode, startedMs: now(), bytes: 0, ended: new AbortController(), release: slot.release };
  running.set(merchantId, own);
  return {
    signal: own.ended.signal,
    note(bytes) {
      own.bytes += bytes;
    },
    release() {
      if (running.get(merchantId) === own) end(merchantId, own);
    },
  };
}

type TakeOptions = {
  mode?: Mode;
  now?: () => number;
  /** Aborted when the caller disconnects. */
  gone?: AbortSignal;
  waitMs?: number;
};

async function acquireSlot(merchantId: string, mode: Mode, waitMs: number, gone?: AbortSignal): Promise<Slot> {
  const { signal, release: stopTimer } = abortAfter(waitMs, gone);
  const acquire = () => slots.acquire(merchantId, signal);
  const acquireTest = () => testSlots.acquire(merchantId, signal);
  try {
    return await acquireAll(mode === "test" ? [acquireTest, acquire] : [acquire]);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw busy(
      running.has(merchantId)
        ? "An export for your account is already running. Wait until it finishes."
        : "Other exports are running right now. Try again in a minute.",
    );
  } finally {
    stopTimer();
  }
}

function isFull(mode: Mode): boolean {
  return slots.inUse >= EXPORTS_AT_ONCE || (mode === "test" && testSlots.inUse >= EXPORTS_AT_ONCE - 1);
}

function end(merchantId: string, one: RunningExport): void {
  running.delete(merchantId);
  one.release();
}

/** Ends the slowest export of a mode, or of both for null, if it is below the minimum rate. */
function endSlowest(nowMs: number, mode: Mode | null): void {
  const rateOf = ({ bytes, startedMs }: RunningExport) => bytes / Math.max(1, nowMs - startedMs);
  const [slowest] = [...running]
    .filter(([, one]) => mode === null || one.mode === mode)
    .filter(([, one]) => nowMs - one.startedMs > GRACE_MS && rateOf(one) < FLOOR_BYTES_PER_MS)
    .toSorted(([, a], [, b]) => rateOf(a) - rateOf(b));
  if (!slowest) return;
  const [merchantId, one] = slowest;
  end(merchantId, one);
  one.ended.abort();
}

const busy = (detail: string) => new AppError("rate_limited", detail, { retryAfterSeconds: 60 });

/** A client that receives nothing for this long is treated as gone. */
const STALL_MS = 60_000;
/** Max duration of an export, for clients that receive a little before each stall limit. */
const DEADLINE_MS = 15 * 60_000;

type ExportSource = {
  /** Text or bytes to send; throws if the export fails. */
  readonly parts: FileParts;
  /** Called once, on success, failure or cancellation. */
  close(): void;
  /**
   * Aborts when the client disconnects, even before the first byte (when nothing would cancel the body), or
   * is cut off.
   */
  readonly signal?: AbortSignal;
  /** Called with the number of bytes in each part that was sent. */
  sent?(bytes: number): void;
  /** Called with an error after the first byte, when an error response is no longer possible. */
  failed(error: unknown): void;
};

/**
 * A body that is read only as fast as the client receives it, one part ahead. If the source fails, the
 * connection is cut, so that a partial export never looks complete.
 */
export function exportStream(
  { parts, close, failed, signal, sent }: ExportSource,
  { stallMs = STALL_MS, deadlineMs = DEADLINE_MS }: { stallMs?: number; deadlineMs?: number } = {},
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stalled: ReturnType<typeof setTimeout> | undefined;
  let late: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  const end = () => {
    clearTimeout(stalled);
    clearTimeout(late);
    if (ended) return;
    ended = true;
    // Stop reading first, then release the connection.
    void parts.return().then(close, close);
  };
  const giveUpAfter = (controller: ReadableStreamDefaultController, ms: number, reason: string) =>
    setTimeout(() => {
      controller.error(new Error(reason));
      end();
    }, ms).unref();
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted) end();
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const cut = () => controller.error(new Error("the export was cut off"));
        if (signal?.aborted) cut();
        else signal?.addEventListener("abort", cut, { once: true });
        if (!ended) late = giveUpAfter(controller, deadlineMs, "the export took too long");
      },
      async pull(controller) {
        clearTimeout(stalled);
        try {
          const { done, value } = await parts.next();
          if (ended) return;
          if (done) {
            controller.close();
            end();
            return;
          }
          const bytes = typeof value === "string" ? encoder.encode(value) : value;
          controller.enqueue(bytes);
          sent?.(bytes.length);
          stalled = giveUpAfter(controller, stallMs, "nobody reads the export anymore");
        } catch (error) {
          if (ended) return;
          failed(error);
          controller.error(error);
          end();
        }
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}
