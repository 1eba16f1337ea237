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
import type { Mode } from "@/lib/contract/transactions/words";

type ReceiptProps = { payment: ShownPayment; mail: MailRoute };

/** View and mail the receipt of a captured payment. */
export function ReceiptActions({ payment, mail }: ReceiptProps) {
  const { mode, can } = useDashboard();
  const [sending, setSending] = useState(false);
  if (payment.amount_captured === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {/* The receipt isn't a dashboard page, so it opens in another tab. */}
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
      {sending && <SendDialog payment={payment} mail={mail} onClose={() => setSending(false)} />}
    </div>
  );
}

const NOT_SENT: Record<Exclude<MailRoute, "sent">, { place: string; where: string }> = {
  outbox: { place: "the outbox", where: "the outbox at /outbox" },
  console: { place: "the console", where: "the service’s console" },
};

/** In test mode, mail servers deliver only to the team's own addresses; without a server, no mail is sent. */
function addressHint(mode: Mode, mail: MailRoute): string | undefined {
  if (mail !== "sent") return `No mail server is set up: the e-mail goes to ${NOT_SENT[mail].where}.`;
  return mode === "test" ? "In test mode, receipts only go to your team’s confirmed addresses." : undefined;
}

function SendDialog({ payment, mail, onClose }: ReceiptProps & { onClose: () => void }) {
  const { mode, user } = useDashboard();
  const isTeamOnly = mode === "test" && mail === "sent";
  const email = (isTeamOnly ? user.email : payment.customer_email) ?? "";
  const form = useForm({ email: isMailable(email) ? email : "" });

  async function send() {
    const { data } = await callApi("POST /api/dashboard/{mode}/payments/{id}/receipt", {
      params: { mode, id: payment.id },
      body: form.values,
    });
    if (data.mail === "sent") toast.success(`Receipt sent to ${data.email}`);
    else {
      const { place, where } = NOT_SENT[data.mail];
      toast.success(`Receipt left in ${place}`, {
        description: `No mail server is set up, so nothing was sent to ${data.email}. Read it in ${where}.`,
      });
    }
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
      <TextField
        label="E-mail address"
        hint={addressHint(mode, mail)}
        {...form.field("email")}
        type="email"
        autoComplete="off"
      />
    </FormDialog>
  );
}
