"use client";

import { FormDialog, TextField } from "@/components/ui/form";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useForm } from "@/lib/client/use-form";
import type { MailRoute } from "@/lib/contract/accounts/fields";
import { isMailable } from "@/lib/contract/emails";
import type { ShownPayment } from "@/lib/contract/payments/payment-detail";
import type { Mode } from "@/lib/contract/transactions/words";

const NOT_SENT: Record<Exclude<MailRoute, "sent">, { place: string; where: string }> = {
  outbox: { place: "the outbox", where: "the outbox at /outbox" },
  console: { place: "the console", where: "the service’s console" },
};

/** In test mode, mail servers deliver only to the team's own addresses; without a server, no mail is sent. */
function addressHint(mode: Mode, mail: MailRoute): string | undefined {
  if (mail !== "sent") return `No mail server is set up: the e-mail goes to ${NOT_SENT[mail].where}.`;
  return mode === "test" ? "In test mode, receipts only go to your team’s confirmed addresses." : undefined;
}

/** Mails the receipt of a captured payment. */
export function SendReceiptDialog({ payment, onClose }: { payment: ShownPayment; onClose: () => void }) {
  const { mode, mail, user } = useDashboard();
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
