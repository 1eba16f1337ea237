"use client";

import { Download, X } from "lucide-react";
import { type ComponentType, useState } from "react";
import { Button } from "@/components/ui/button";
import { IconButton } from "@/components/ui/floating";
import type { ExportProgress } from "@/lib/client/reporting/download-export";
import { useRunningExport } from "@/lib/client/reporting/running-export";
import type { ExportDialogProps } from "./export-dialog";

export type ExportButtonProps = {
  /** Address of the export, with the page's own parameters. */
  address: string;
  /** The rows: "transaction". */
  noun: string;
  /** Columns that the table shows, where the file can be limited to them. */
  columns?: readonly string[];
  /** Rows in the list; null while they are not counted. */
  total: number | null;
  /** There are more than that. */
  totalCapped?: boolean;
};

const number = (value: number): string => value.toLocaleString("en-US");

/** Saves the whole result of a list as a file of the person's choice, not only the page that is on show. */
export function ExportButton(props: ExportButtonProps) {
  const running = useRunningExport();
  const [ExportDialog, setDialog] = useState<ComponentType<ExportDialogProps> | null>(null);

  // Not as a toast, which would have to be loaded, too.
  const [isMissing, setIsMissing] = useState(false);

  async function choose() {
    const loaded = await import("./export-dialog").catch(() => null);
    setIsMissing(loaded === null);
    if (loaded) setDialog(() => loaded.ExportDialog);
  }

  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      {isMissing && (
        <p role="alert" className="text-[13px] text-red">
          Part of this page couldn’t be loaded. Check your connection.
        </p>
      )}
      {running && <Progress progress={running.progress} onCancel={running.cancel} />}
      <Button icon={<Download aria-hidden="true" />} pending={running !== null} aria-haspopup="dialog" onClick={choose}>
        Export
      </Button>
      {ExportDialog && <ExportDialog {...props} onClose={() => setDialog(null)} />}
    </div>
  );
}

type ProgressProps = { progress: ExportProgress; onCancel: () => void };

function Progress({ progress: { rows, total, bytes }, onCancel }: ProgressProps) {
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
