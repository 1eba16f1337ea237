"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Field, Input } from "@/components/ui/field";
import { Form, TextareaField, TextField } from "@/components/ui/form";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useForm } from "@/lib/client/use-form";
import type { Dispute, Evidence } from "@/lib/contract/disputes/dispute";
import { EVIDENCE_TEXTS, type EvidenceText } from "@/lib/contract/disputes/evidence";
import type { EvidenceFile } from "@/lib/contract/disputes/list";
import { EvidenceFiles, useDraftFiles } from "./evidence-files";
import { EVIDENCE_LABELS } from "./evidence-list";
import { AcceptDialog, SubmitDialog } from "./response-dialogs";

type Values = Record<EvidenceText, string> & { shipped_at: string };
const TEXTS = Object.keys(EVIDENCE_TEXTS) as EvidenceText[];

const valuesOf = (evidence: Evidence): Values => ({
  ...(Object.fromEntries(TEXTS.map((name) => [name, evidence[name] ?? ""])) as Record<EvidenceText, string>),
  shipped_at: evidence.shipped_at?.slice(0, 10) ?? "",
});

const HINTS: Partial<Record<EvidenceText, string>> = {
  product_description: "What the customer ordered, and what they got.",
  customer_communication: "E-mails and messages with the customer. Attach long ones as a file.",
  refund_policy: "Your terms, and where the customer agreed to them.",
  notes: "Anything else that shows that the payment is legitimate.",
};

const SANDBOX_HINT =
  "Anything else that shows that the payment is legitimate. The sandbox decides by these words: winning_evidence or losing_evidence.";

const hasText = ({ files: _, ...texts }: Evidence) => Object.values(texts).some(Boolean);

type EvidenceFormProps = { dispute: Dispute; files: readonly EvidenceFile[]; simulated: boolean };

/** The evidence of a dispute that still needs a response: a draft, its files, and both ways to respond. */
export function EvidenceForm({ dispute, files, simulated }: EvidenceFormProps) {
  const { mode } = useDashboard();
  const router = useRouter();
  const [opened, setOpened] = useState<"submit" | "accept" | null>(null);
  const draft = useDraftFiles({ dispute, files });
  const form = useForm<Values>(valuesOf(dispute.evidence), {
    check: (values) =>
      Object.fromEntries(
        TEXTS.map((name) => [
          name,
          values[name].length > EVIDENCE_TEXTS[name]
            ? `At most ${EVIDENCE_TEXTS[name].toLocaleString("en-US")} characters. Attach longer texts as a file.`
            : undefined,
        ]),
      ),
    place: ({ param, message }) => {
      const name = param.replace("evidence.", "");
      return name in EVIDENCE_LABELS ? [name, message] : null;
    },
  });

  async function save() {
    const evidence = Object.fromEntries(form.changed.map((name) => [name, form.values[name] || null]));
    const { data } = await callApi("PATCH /v1/disputes/{id}", { mode, params: { id: dispute.id }, body: { evidence } });
    form.keep(valuesOf(data.evidence));
    router.refresh();
  }
  const saveDraft = async () => {
    if (form.dirty) await save();
    toast.success("Draft saved. The bank hasn’t seen it.");
  };
  /** Everything typed is part of the submission. */
  const openSubmit = form.submit(async () => {
    if (form.dirty) await save();
    setOpened("submit");
  });
  const text = (name: EvidenceText) => ({ ...form.field(name), label: EVIDENCE_LABELS[name], hint: HINTS[name] });

  return (
    <Card title="Your evidence" description="A draft until you submit it. Fill in what applies.">
      <Form form={form} onSubmit={saveDraft} live guarded>
        <TextareaField {...text("product_description")} rows={3} />
        <TextareaField {...text("customer_communication")} rows={4} />
        <div className="grid gap-4 sm:grid-cols-3">
          <TextField {...text("shipping_carrier")} placeholder="DHL" autoComplete="off" />
          <TextField {...text("shipping_tracking")} autoComplete="off" className="font-mono" />
          <Field label={EVIDENCE_LABELS.shipped_at} error={form.errorOf("shipped_at")}>
            {(control) => {
              const { error: _, ...field } = form.field("shipped_at");
              return <Input type="date" {...field} {...control} />;
            }}
          </Field>
        </div>
        <TextareaField {...text("refund_policy")} rows={3} />
        <TextareaField {...text("notes")} {...(simulated && { hint: SANDBOX_HINT })} rows={5} />
        <EvidenceFiles dispute={dispute} draft={draft} />
        <div className="flex flex-wrap items-center gap-2 border-t pt-4">
          <Button
            variant="primary"
            pending={form.pending}
            disabled={draft.isUploading}
            onClick={() => void openSubmit()}
          >
            Submit evidence…
          </Button>
          <Button type="submit" disabled={!form.dirty} pending={form.pending}>
            Save draft
          </Button>
          <Button variant="ghost" className="ml-auto text-red" onClick={() => setOpened("accept")}>
            Accept dispute…
          </Button>
          {draft.isUploading && <p className="w-full text-soft text-xs">You can submit when all files are uploaded.</p>}
        </div>
      </Form>
      {opened === "submit" && (
        <SubmitDialog
          dispute={dispute}
          files={draft.count}
          empty={draft.count === 0 && !hasText({ ...dispute.evidence, ...form.saved })}
          onClose={() => setOpened(null)}
        />
      )}
      {opened === "accept" && <AcceptDialog dispute={dispute} onClose={() => setOpened(null)} />}
    </Card>
  );
}
