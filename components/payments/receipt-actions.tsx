"use client";

import { Receipt, Send } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { FormDialog, TextField } from "@/components/ui/form";
import { buttonStyles } from "@/components/ui/styles";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useForm } from "@/lib/client/use-form";
import type { MailRoute } from "@/lib/contract/accounts/fields";
import { isMailable } from "@/lib/contract/emails";
import type { ShownPayment } from "@/lib/contract/payments/payment-detail";

/** The receipt of a payment that took money: to look at, and to mail. */
export function ReceiptActions({ payment }: { payment: ShownPayment }) {
  const { mode, can } = useDashboard();
  const [sending, setSending] = useState(false);
  if (payment.amount_captured === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {/* The receipt is no page of the dashboard's: it opens beside it. */}
      <a
        href={`/${mode}/payments/${payment.id}/receipt`}
        target="_blank"
        rel="noopener"
        className={buttonStyles({ variant: "ghost" })}
      >
        <Receipt aria-hidden="true" />
        View receipt
      </a>
      {can("transaction.refund") && (
        <Button variant="ghost" icon={<Send aria-hidden="true" />} onClick={() => setSending(true)}>
          Send receipt
        </Button>
      )}
      {sending && <SendDialog payment={payment} onClose={() => setSending(false)} />}
    </div>
  );
}

const NOTICES: Record<MailRoute, string | undefined> = {
  sent: undefined,
  outbox: "No mail server is set up: the e-mail is in the outbox at /outbox.",
  console: "No mail server is set up: the e-mail is in the service’s console.",
};

function SendDialog({ payment, onClose }: { payment: ShownPayment; onClose: () => void }) {
  const { mode } = useDashboard();
  const email = payment.customer_email ?? "";
  const form = useForm({ email: isMailable(email) ? email : "" });

  async function send() {
    const { data } = await callApi("POST /api/dashboard/{mode}/payments/{id}/receipt", {
      params: { mode, id: payment.id },
      body: form.values,
    });
    const description = NOTICES[data.mail];
    toast.success(`Receipt sent to ${data.email}`, description === undefined ? {} : { description });
    onClose();
  }

  return (
    <FormDialog
      form={form}
      size="sm"
      title="Send receipt"
      description="The e-mail shows the amount, date and last 4 card digits, with a link to the receipt."
      submitLabel="Send"
      onSubmit={send}
      onClose={onClose}
    >
      <TextField label="E-mail address" {...form.field("email")} type="email" autoComplete="off" />
    </FormDialog>
  );
}
