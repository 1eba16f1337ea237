"use client";

import { Download } from "lucide-react";
import dynamic from "next/dynamic";
import { type ComponentType, useState } from "react";
import { Button } from "@/components/ui/button";
import { useRunningExport } from "@/lib/client/reporting/running-export";
import type { ExportDialogProps } from "./export-dialog";

const Progress = dynamic(() => import("./export-dialog").then((module) => module.Progress), { ssr: false });

export type ExportButtonProps = {
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
};

/** Saves the whole list as a file, not only the current page. */
export function ExportButton(props: ExportButtonProps) {
  const running = useRunningExport();
  const [ExportDialog, setDialog] = useState<ComponentType<ExportDialogProps> | null>(null);

  // Not a toast, which would have to be loaded as well.
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
