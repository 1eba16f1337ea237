"use client";

import { Download, X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { Button } from "@/components/ui/button";
import { IconButton } from "@/components/ui/floating";
import { Menu, MenuContent, MenuItem, MenuLabel, MenuTrigger } from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import { useDashboard } from "@/lib/client/dashboard-context";
import type { ExportProgress } from "@/lib/client/transactions/download-export";

type ExportButtonProps = {
  /** The page's own parameters. */
  filters: string;
  /** Members of a transaction that the table shows. */
  columns: readonly string[];
  /** How many there are, as far as the list has counted; null when it has not. */
  total: number | null;
  /** There are more than that. */
  totalCapped?: boolean;
};

const number = (value: number): string => value.toLocaleString("en-US");

/** Saves the whole result of the filters as CSV, not only the page that is on show. */
export function ExportButton({ filters, columns, total, totalCapped = false }: ExportButtonProps) {
  const { mode } = useDashboard();
  const running = useRunningExport();
  const start = (search: string) => void startExport(`/${mode}/transactions/export?${search.replace(/^&/, "")}`);
  const rows = total === null ? "all rows" : `${totalCapped ? "more than " : ""}${number(total)} rows`;
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      {running && <Progress progress={running.progress} onCancel={running.cancel} />}
      <Menu>
        <MenuTrigger asChild>
          <Button icon={<Download aria-hidden="true" />} pending={running !== null}>
            Export
          </Button>
        </MenuTrigger>
        <MenuContent align="end" label="Export" className="w-64">
          <MenuLabel>CSV, {rows} in this order</MenuLabel>
          <MenuItem
            description="What the table shows, all pages"
            onSelect={() => start(`${filters}&columns=${columns.join(",")}`)}
          >
            These columns
          </MenuItem>
          <MenuItem description="Every field the API returns" onSelect={() => start(filters)}>
            All columns
          </MenuItem>
        </MenuContent>
      </Menu>
    </div>
  );
}

type RunningExport = { readonly progress: ExportProgress; readonly cancel: () => void };
type OnProgress = (progress: ExportProgress) => void;

/**
 * The tab's one export. It stands above the pages: it goes on while its page is drawn again and while the person looks at
 * others, and ends when it is whole, is cancelled, or the tab leaves the dashboard.
 */
let current: RunningExport | null = null;
const listeners = new Set<() => void>();

function setRunning(next: RunningExport | null): void {
  current = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const useRunningExport = (): RunningExport | null =>
  useSyncExternalStore(
    subscribe,
    () => current,
    () => null,
  );

async function startExport(address: string): Promise<void> {
  if (current) return;
  const controller = new AbortController();
  const onProgress: OnProgress = (progress) => setRunning({ progress, cancel: () => controller.abort() });
  onProgress({ rows: 0, total: Number.NaN });
  try {
    await exportFrom(address, controller.signal, onProgress);
  } finally {
    setRunning(null);
  }
}

/** Says how it ended. */
async function exportFrom(address: string, signal: AbortSignal, onProgress: OnProgress): Promise<void> {
  const failed = (description: string) =>
    toast.error("The export failed", {
      description,
      action: { label: "Try again", onClick: () => void startExport(address) },
    });
  const loaded = await import("@/lib/client/transactions/download-export").catch(() => null);
  if (loaded === null) return failed("Part of this page couldn’t be loaded. Check your connection.");
  try {
    const rows = await loaded.downloadExport(address, signal, onProgress);
    toast.success(`Exported ${number(rows)} ${rows === 1 ? "transaction" : "transactions"}`);
  } catch (error) {
    if (signal.aborted) toast.success("Export cancelled", { description: "Nothing was saved." });
    else if (error instanceof loaded.ExportError)
      failed(error.requestId ? `${error.message} Request ${error.requestId}.` : error.message);
    else throw error;
  }
}

function Progress({ progress: { rows, total }, onCancel }: { progress: ExportProgress; onCancel: () => void }) {
  const known = Number.isFinite(total);
  const text = known ? `${number(rows)} of ${number(total)}` : "Preparing the export…";
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
