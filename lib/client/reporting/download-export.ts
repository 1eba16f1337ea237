/** `rows` is null for workbooks, whose rows can't be counted during the download. */
export type ExportProgress = { rows: number | null; total: number; bytes: number };

/** Failed export, with a message for users; nothing was saved. */
export class ExportError extends Error {
  override readonly name = "ExportError";
  readonly requestId: string | null;

  constructor(message: string, requestId: string | null = null, options?: ErrorOptions) {
    super(message, options);
    this.requestId = requestId;
  }
}

/** The server is considered lost after this long without data. */
const SILENCE_MS = 60_000;
const REPORT_MS = 100;

/**
 * Downloads an export and saves it if complete: every announced line of a CSV file, or the end of a workbook.
 * Throws ExportError, or the signal's reason when the user canceled. Returns the number of rows.
 */
export async function downloadExport(
  address: string,
  signal: AbortSignal,
  onProgress: (progress: ExportProgress) => void,
): Promise<number> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  try {
    const response = await fetch(address, { signal: AbortSignal.any([signal, silence.signal]), cache: "no-store" });
    const requestId = response.headers.get("x-request-id");
    if (!response.ok || response.body === null) throw new ExportError(await refusalOf(response), requestId);
    const total = Number(response.headers.get("x-total-count") ?? Number.NaN);
    const type = response.headers.get("content-type") ?? "";
    const isCsv = type.startsWith("text/csv");
    const { parts, rows } = await readAll(response.body, isCsv, (rows, bytes) => {
      heard();
      onProgress({ rows, total, bytes });
    });
    if (rows !== null && rows !== total) throw incomplete(rows, total, requestId);
    const file = new Blob(parts, { type });
    if (!isCsv && !(await endsAsWorkbook(file))) throw new ExportError(CUT_OFF, requestId);
    save(file, fileName(response));
    return total;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ExportError) throw error;
    throw new ExportError(CUT_OFF, null, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

const CUT_OFF = "The export was interrupted. Nothing was saved. Try again.";

const incomplete = (rows: number, total: number, requestId: string | null) =>
  new ExportError(
    `The export ended after ${rows.toLocaleString("en-US")} of ${total.toLocaleString("en-US")} rows. Nothing was saved; try again.`,
    requestId,
  );

async function readAll(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  isCsv: boolean,
  onProgress: (rows: number | null, bytes: number) => void,
) {
  const reader = body.getReader();
  const counter = isCsv ? new RecordCounter() : null;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  let reported = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    bytes += value.length;
    counter?.add(value);
    if (performance.now() - reported < REPORT_MS) continue;
    reported = performance.now();
    onProgress(dataRows(counter), bytes);
  }
  return { parts, rows: dataRows(counter) };
}

/** Rows without the header line. */
const dataRows = (counter: RecordCounter | null): number | null => counter && Math.max(0, counter.records - 1);

/** Length and first bytes of a ZIP archive's final record; workbooks are ZIP archives. */
const END_BYTES = 22;
const END = [0x50, 0x4b, 0x05, 0x06];

async function endsAsWorkbook(file: Blob): Promise<boolean> {
  const end = new Uint8Array(await file.slice(-END_BYTES).arrayBuffer());
  return END.every((byte, i) => end[i] === byte);
}

async function refusalOf(response: Response): Promise<string> {
  const fallback = `The service answered ${response.status}. Try again in a moment.`;
  try {
    const body = (await response.json()) as { detail?: unknown };
    return typeof body.detail === "string" ? body.detail : fallback;
  } catch {
    return fallback;
  }
}

function fileName(response: Response): string {
  return /filename="([\w.-]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "export";
}

function save(file: Blob, name: string): void {
  const href = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = href;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads the file after the click, without reporting when it is done.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

const QUOTE = 0x22;
const NEWLINE = 0x0a;

/** Counts records of a CSV file by chunk. A line break inside quotes doesn't end a record. */
export class RecordCounter {
  records = 0;
  #quoted = false;

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      // A doubled quote inside quotes toggles twice, which has no effect.
      if (byte === QUOTE) this.#quoted = !this.#quoted;
      else if (byte === NEWLINE && !this.#quoted) this.records++;
    }
  }
}
