import { Card } from "@/components/ui/card";
import { Time } from "@/components/ui/time";
import type { Dispute } from "@/lib/contract/disputes/dispute";
import { EVIDENCE_TEXTS, type EvidenceText } from "@/lib/contract/disputes/evidence";
import type { EvidenceFile } from "@/lib/contract/disputes/list";
import type { Mode } from "@/lib/contract/transactions/words";
import { FileLink } from "./evidence-files";

export const EVIDENCE_LABELS: Record<EvidenceText | "shipped_at", string> = {
  product_description: "Product description",
  customer_communication: "Communication with the customer",
  shipping_carrier: "Carrier",
  shipping_tracking: "Tracking number",
  shipped_at: "Shipped on",
  refund_policy: "Refund policy",
  notes: "Notes for the bank",
};

type EvidenceListProps = {
  dispute: Dispute;
  files: readonly EvidenceFile[];
  /** Null in support, which sees the names of files. */
  mode: Mode | null;
  /** Why it can't be changed here. */
  reason: string | null;
};

/** Evidence as it was saved or submitted. Shows nothing if there is none and no reason to say so. */
export function EvidenceList({ dispute, files, mode, reason }: EvidenceListProps) {
  const { evidence } = dispute;
  const texts = (Object.keys(EVIDENCE_TEXTS) as EvidenceText[]).filter((name) => evidence[name] !== null);
  const isEmpty = texts.length === 0 && evidence.shipped_at === null && evidence.files.length === 0;
  const removed = evidence.files.length - files.length;
  if (isEmpty && reason === null) return null;
  return (
    <Card title="Evidence" {...(reason !== null && { description: reason })}>
      {isEmpty ? (
        <p className="text-soft">Nothing was saved yet.</p>
      ) : (
        <dl className="flex flex-col gap-3">
          {texts.map((name) => (
            <Entry key={name} label={EVIDENCE_LABELS[name]}>
              <span className="whitespace-pre-wrap break-words">{evidence[name]}</span>
            </Entry>
          ))}
          {evidence.shipped_at && (
            <Entry label={EVIDENCE_LABELS.shipped_at}>
              <Time at={evidence.shipped_at} style="date" />
            </Entry>
          )}
          {evidence.files.length > 0 && (
            <Entry label="Files">
              {removed > 0 && (
                <p className="text-soft">
                  {removed === 1 ? "1 file was" : `${removed} files were`} deleted after the dispute ended.
                </p>
              )}
              <ul className="flex flex-col gap-1">
                {files.map((file) => (
                  <li key={file.id}>
                    <FileLink
                      file={file}
                      href={mode === null ? null : `/${mode}/disputes/${dispute.id}/files/${file.id}`}
                    />
                  </li>
                ))}
              </ul>
            </Entry>
          )}
        </dl>
      )}
    </Card>
  );
}

const Entry = ({ label, children }: { label: string; children: React.ReactNode }) => (
  <div className="flex min-w-0 flex-col gap-0.5">
    <dt className="text-soft text-xs">{label}</dt>
    <dd className="min-w-0">{children}</dd>
  </div>
);
