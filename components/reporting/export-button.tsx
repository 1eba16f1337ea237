"use client";

import { Download } from "lucide-react";
import dynamic from "next/dynamic";
import { type ComponentType, useState } from "react";
import { Button } from "@/components/ui/button";
import { missingPart } from "@/components/ui/missing-part";
import { useRunningExport } from "@/lib/client/reporting/running-export";
import type { ExportDialogProps } from "./export-dialog";

const Progress = dynamic(() => import("./export-dialog").then((module) => module.Progress, missingPart), {
  ssr: false,
});

/** Saves the whole list as a file, not only the current page. */
export function ExportButton({ size, ...props }: Omit<ExportDialogProps, "onClose"> & { size?: "sm" }) {
  const isEmpty = props.total === 0;
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
      <Button
        size={size}
        icon={<Download aria-hidden="true" />}
        pending={running !== null}
        aria-haspopup="dialog"
        disabled={isEmpty && running === null}
        onClick={choose}
      >
        {isEmpty ? "Nothing to export" : "Export"}
      </Button>
      {ExportDialog && <ExportDialog {...props} onClose={() => setDialog(null)} />}
    </div>
  );
}
