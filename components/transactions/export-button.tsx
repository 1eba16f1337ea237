"use client";

import { Download, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { IconButton } from "@/components/ui/icon-button";
import { Menu, MenuContent, MenuItem, MenuLabel, MenuTrigger } from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import { useDashboard } from "@/lib/client/dashboard-context";
import type { ExportProgress } from "@/lib/client/download-export";

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
  const { progress, start, cancel } = useExport();
  const rows = total === null ? "all rows" : `${totalCapped ? "more than " : ""}${number(total)} rows`;
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      {progress && <Progress progress={progress} onCancel={cancel} />}
      <Menu>
        <MenuTrigger asChild>
          <Button icon={<Download aria-hidden="true" />} pending={progress !== null}>
            Export
          </Button>
        </MenuTrigger>
        <MenuContent align="end" label="Export" className="w-64">
          <MenuLabel>CSV, {rows} in this order</MenuLabel>
          <MenuItem
            description="What the table shows, all pages"
            onSelect={() => void start(`${filters}&columns=${columns.join(",")}`)}
          >
            These columns
          </MenuItem>
          <MenuItem description="Everything there is to know" onSelect={() => void start(filters)}>
            All columns
          </MenuItem>
        </MenuContent>
      </Menu>
    </div>
  );
}

function useExport() {
  const { mode } = useDashboard();
  const [progress, setProgress] = useState<ExportProgress | null>(null);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function start(search: string) {
    const controller = new AbortController();
    running.current = controller;
    setProgress({ rows: 0, total: Number.NaN });
    const { downloadExport, ExportError } = await import("@/lib/client/download-export");
    try {
      const address = `/${mode}/transactions/export?${search.replace(/^&/, "")}`;
      const rows = await downloadExport(address, controller.signal, setProgress);
      toast.success(`Exported ${number(rows)} ${rows === 1 ? "transaction" : "transactions"}`);
    } catch (error) {
      if (controller.signal.aborted) toast.success("Export cancelled", { description: "Nothing was saved." });
      else if (error instanceof ExportError) {
        toast.error("The export failed", {
          description: error.requestId ? `${error.message} Request ${error.requestId}.` : error.message,
          action: { label: "Try again", onClick: () => void start(search) },
        });
      } else throw error;
    } finally {
      setProgress(null);
    }
  }
  return { progress, start, cancel: () => running.current?.abort() };
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
