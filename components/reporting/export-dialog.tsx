"use client";

import { X } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { RadioCards } from "@/components/ui/choices";
import { Dialog } from "@/components/ui/dialog";
import { Field, Select } from "@/components/ui/field";
import { IconButton } from "@/components/ui/floating";
import { toast } from "@/components/ui/toast";
import { callApi, failureText } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { downloadExport, ExportError, type ExportProgress } from "@/lib/client/reporting/download-export";
import { isExporting, setRunning } from "@/lib/client/reporting/running-export";
import type { Preferences } from "@/lib/contract/permissions";
import {
  DEFAULT_LOCALE,
  EXPORT_FORMATS,
  EXPORT_LOCALES,
  type ExportFormat,
  FORMAT_WORDS,
  isLocale,
  separatorsOf,
} from "@/lib/contract/reporting/export-formats";

export type ExportDialogProps = {
  /** Address of the export, with the page's own parameters. */
  address: string;
  /** Name of a row: "transaction". */
  noun: string;
  /** Visible columns, if the file can be limited to them. */
  columns?: readonly string[];
  /** Rows in the list; null while not counted. */
  total: number | null;
  /** `total` is a lower bound. */
  totalCapped?: boolean;
  onClose: () => void;
};

const number = (value: number): string => value.toLocaleString("en-US");

const FORMATS = EXPORT_FORMATS.map((value) => ({ value, ...FORMAT_WORDS[value] }));
const SCOPES = [
  { value: "shown", label: "These columns", description: "What the table shows" },
  { value: "all", label: "All columns", description: "Every field of each row" },
] as const;

/** Latest choice in this tab, newer than the preferences that the page was rendered with. */
let chosen: Pick<Preferences, "export_format" | "export_locale"> = {};

/** Lets the user choose a file format, and remembers it. */
export function ExportDialog({ address, noun, columns, total, totalCapped, onClose }: ExportDialogProps) {
  const { preferences } = useDashboard();
  const saved = { ...preferences, ...chosen };
  const [format, setFormat] = useState<ExportFormat>(saved.export_format ?? "csv");
  const [locale, setLocale] = useState(saved.export_locale ?? browserLocale());
  const [scope, setScope] = useState<(typeof SCOPES)[number]["value"]>("shown");
  const { decimal, column } = separatorsOf(locale);

  function start() {
    const params = new URLSearchParams({ format });
    if (format === "csv_excel") params.set("locale", locale);
    if (columns && scope === "shown") params.set("columns", columns.join(","));
    if (format !== saved.export_format || (format === "csv_excel" && locale !== saved.export_locale))
      void remember({ export_format: format, export_locale: locale });
    void startExport(`${address}${address.includes("?") ? "&" : "?"}${params}`, noun);
    onClose();
  }

  return (
    <Dialog
      title={`Export ${noun}s`}
      description={`${rowsText(total, totalCapped)}, in this order`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" onClick={start}>
            Export
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <RadioCards legend="File" options={FORMATS} value={format} onChange={setFormat} />
        {format === "csv_excel" && (
          <Field
            label="Region"
            hint={`Numbers as 1234${decimal}56, columns split by ${SEPARATOR_NAMES[column] ?? column}`}
          >
            {(control) => (
              <Select {...control} value={locale} onChange={({ target }) => setLocale(target.value)}>
                {localeOptions(locale).map(({ code, name }) => (
                  <option key={code} value={code}>
                    {name}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
        {columns && <RadioCards legend="Columns" columns={2} options={SCOPES} value={scope} onChange={setScope} />}
      </div>
    </Dialog>
  );
}

/** Runs the export, which continues after the dialog closes, and reports the result. */
async function startExport(address: string, noun: string): Promise<void> {
  if (isExporting()) return;
  const controller = new AbortController();
  const onProgress = (progress: ExportProgress) => setRunning({ progress, cancel: () => controller.abort() });
  onProgress({ rows: 0, total: Number.NaN, bytes: 0 });
  try {
    const rows = await downloadExport(address, controller.signal, onProgress);
    toast.success(`Exported ${number(rows)} ${rows === 1 ? noun : `${noun}s`}`);
  } catch (error) {
    if (controller.signal.aborted) toast.success("Export cancelled", { description: "Nothing was saved." });
    else if (error instanceof ExportError)
      toast.error("The export failed", {
        description: error.requestId ? `${error.message} Request ${error.requestId}.` : error.message,
        action: { label: "Try again", onClick: () => void startExport(address, noun) },
      });
    else throw error;
  } finally {
    setRunning(null);
  }
}

type ProgressProps = { progress: ExportProgress; onCancel: () => void };

export function Progress({ progress: { rows, total, bytes }, onCancel }: ProgressProps) {
  const known = rows !== null && Number.isFinite(total);
  const text = known ? `${number(rows)} of ${number(total)}` : preparing(bytes);
  return (
    <div className="flex items-center gap-2 text-[13px]">
      <progress
        aria-label="Export"
        aria-valuetext={text}
        className="h-1.5 w-24 accent-accent max-sm:w-16"
        max={known ? Math.max(total, 1) : undefined}
        value={known ? rows : undefined}
      />
      <span className="whitespace-nowrap text-soft tabular-nums">{text}</span>
      <IconButton label="Cancel the export" onClick={onCancel}>
        <X aria-hidden="true" />
      </IconButton>
    </div>
  );
}

const preparing = (bytes: number): string =>
  bytes === 0 ? "Preparing the export…" : `${(bytes / 1e6).toFixed(1)} MB so far`;

const SEPARATOR_NAMES: Readonly<Record<string, string>> = { ",": "commas", ";": "semicolons" };

function rowsText(total: number | null, capped = false): string {
  if (total === null) return "All rows";
  return `${capped ? "More than " : ""}${number(total)} ${total === 1 ? "row" : "rows"}`;
}

async function remember(changes: Required<typeof chosen>): Promise<void> {
  chosen = changes;
  try {
    await callApi("PATCH /api/dashboard/preferences", { body: changes });
  } catch (error) {
    toast.error("Your choice of format was not saved", { description: failureText(error) });
  }
}

/**
 * The browser's locale with its most likely region. Some browsers report the system's, such as `en-US@posix`.
 */
function browserLocale(): string {
  const { language, region } = new Intl.Locale(navigator.languages.find(isLocale) ?? DEFAULT_LOCALE).maximize();
  return region ? `${language}-${region}` : language;
}

/** Locales by their English names, including the current one if it isn't listed. */
function localeOptions(current: string): { code: string; name: string }[] {
  const names = new Intl.DisplayNames("en", { type: "language", languageDisplay: "standard" });
  return [...new Set([...EXPORT_LOCALES, current])]
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .toSorted((a, b) => a.name.localeCompare(b.name));
}
