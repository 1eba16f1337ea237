"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Facts, Money } from "@/components/ui/card";
import { FormDialog, TextareaField } from "@/components/ui/form";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import type { Refusal } from "@/lib/client/payments/money-attempt";
import type { MoneySubject } from "@/lib/client/payments/money-subject";
import { useForm } from "@/lib/client/use-form";
import { APPROVAL_DAYS } from "@/lib/contract/approvals/words";
import { moneyText } from "@/lib/contract/format";
import type { RefundReason } from "@/lib/contract/transactions/words";

type RequestApprovalProps = {
  paymentId: string;
  refusal: Refusal;
  subject: MoneySubject;
  parameters: { amount: number; reason: RefundReason; comment?: string; acknowledge_dispute?: true };
  onClose: () => void;
};

/** Replaces the refund dialog once the service has refused the refund for want of a second person. */
export function RequestApproval({ paymentId, refusal, subject, parameters, onClose }: RequestApprovalProps) {
  const { mode } = useDashboard();
  const queries = useQueryClient();
  const form = useForm(
    { reason: "" },
    { check: ({ reason }) => (reason.trim() === "" ? { reason: "Say why it should be refunded." } : {}) },
  );
  const amount = moneyText(parameters.amount, subject.currency);

  async function request() {
    await callApi("POST /api/dashboard/{mode}/approval-requests", {
      params: { mode },
      body: { action: "REFUND", subject: paymentId, parameters, reason: form.values.reason },
    });
    await queries.invalidateQueries({ queryKey: ["approvals"] });
    toast.success("Approval requested", { description: "Colleagues who may decide get an e-mail." });
    onClose();
  }

  return (
    <FormDialog
      form={form}
      title="Request approval"
      description={refusal.detail}
      submitLabel="Request approval"
      onSubmit={request}
      onClose={onClose}
    >
      <Facts
        className="rounded-md border px-3 py-1.5"
        items={[
          { term: "Refund", value: <Money amount={parameters.amount} currency={subject.currency} /> },
          { term: "To", value: subject.card },
        ]}
      />
      <TextareaField
        label="Reason for your colleagues"
        hint={`They see it with your name. ${amount} is refunded once one of them approves within ${APPROVAL_DAYS} days.`}
        rows={3}
        maxLength={500}
        {...form.field("reason")}
      />
    </FormDialog>
  );
}
