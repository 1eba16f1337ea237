"use client";

import { Download } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { CopyButton } from "@/components/ui/copy-button";
import { Dialog, DialogContent } from "@/components/ui/dialog";

type RecoveryCodesProps = { codes: string[] | null; onClose: () => void };

/** New recovery codes, shown this once: the dialog stays until the person says that they are kept. */
export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  return (
    <Dialog open={codes !== null} onOpenChange={onClose}>
      {codes && <Content codes={codes} onClose={onClose} />}
    </Dialog>
  );
}

function Content({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const [kept, setKept] = useState(false);
  return (
    <DialogContent
      title="Keep these recovery codes"
      description="Each signs you in once when your phone is not at hand. They are not shown again."
      dismissible={false}
      footer={
        <>
          <Button icon={<Download aria-hidden="true" />} onClick={() => download(codes)}>
            Download
          </Button>
          <Button variant="primary" disabled={!kept} onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <figure className="mb-4 rounded-md border bg-raised">
        <figcaption className="flex items-center justify-between border-b py-1 pr-1.5 pl-3 text-soft text-xs">
          Recovery codes
          <CopyButton />
        </figcaption>
        <pre className="px-3 py-2.5 font-mono text-[13px] leading-6 sm:columns-2">
          <code>{codes.join("\n")}</code>
        </pre>
      </figure>
      <Checkbox
        label="I have kept them in a safe place."
        checked={kept}
        onChange={(event) => setKept(event.target.checked)}
      />
    </DialogContent>
  );
}

function download(codes: string[]): void {
  const url = URL.createObjectURL(new Blob([`${codes.join("\n")}\n`], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "cardlane-recovery-codes.txt";
  link.click();
  URL.revokeObjectURL(url);
}
