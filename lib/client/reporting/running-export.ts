import { useSyncExternalStore } from "react";
import type { ExportProgress } from "./download-export";

export type RunningExport = { readonly progress: ExportProgress; readonly cancel: () => void };

/**
 * The tab's one export. Its state is kept above the pages, so it continues across navigation, and ends when
 * it is complete, is canceled, or the tab leaves the dashboard.
 */
let current: RunningExport | null = null;
const listeners = new Set<() => void>();

export function setRunning(next: RunningExport | null): void {
  current = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useRunningExport = (): RunningExport | null =>
  useSyncExternalStore(
    subscribe,
    () => current,
    () => null,
  );

export const isExporting = (): boolean => current !== null;
