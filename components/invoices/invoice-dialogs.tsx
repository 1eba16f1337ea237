"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { KeyedDialog } from "@/components/payments/keyed-dialog";
import { Banner } from "@/components/ui/banner";
import { Facts, Money } from "@/components/ui/card";
import { Field, Select } from "@/components/ui/field";
import { toast } from "@/components/ui/toast";
import { useKeyedAction } from "@/lib/client/payments/keyed-action";
import { keyedRequest } from "@/lib/client/payments/keyed-request";
import { cardText, moneyText } from "@/lib/contract/format";
import type { InvoiceDetail } from "@/lib/contract/invoices/invoice-detail";
import type { PaymentMethod } from "@/lib/contract/payment-methods/payment-method";

type InvoiceDialogProps = { detail: InvoiceDetail; cards: readonly PaymentMethod[]; onClose: () => void };

const nameOf = ({ number }: { number: string | null }) => number ?? "this invoice";

/** Charges an open invoice to the subscription's card, or to another of the customer's cards. */
export function PayDialog({ detail, cards, onClose }: InvoiceDialogProps) {
  const router = useRouter();
  const { invoice, card: own } = detail;
  // Keeps the cards of its opening, because the page of a paid invoice has none.
  const [usable] = useState(() => cards.filter(({ status }) => status !== "REMOVED"));
  const [chosen, setChosen] = useState(() => usable.find(({ id }) => id === own.id)?.id ?? usable[0]?.id ?? "");
  const card = usable.find(({ id }) => id === chosen) ?? null;
  const name = card ? cardName(card) : cardText(own.brand, own.last4);
  const amount = moneyText(invoice.amount_due, invoice.currency);
  const action = useKeyedAction({
    subject: `pay ${invoice.id}`,
    title: `Charge ${nameOf(invoice)}`,
    request: () =>
      keyedRequest("POST /v1/invoices/{id}/pay", {
        params: { id: invoice.id },
        ...(chosen !== "" && { body: { payment_method_id: chosen } }),
      }),
    onChange: () => router.refresh(),
  });

  return (
    <KeyedDialog
      action={action}
      submitLabel={`Charge ${amount} to ${name}`}
      done={(paid) =>
        paid.status === "PAID" ? (
          <Banner tone="green" title={`Charged ${amount} to ${name}`}>
            {nameOf(paid)} is paid.
          </Banner>
        ) : (
          <Banner tone="amber" title="The payment is not finished">
            {nameOf(paid)} shows its outcome once it is known.
          </Banner>
        )
      }
      onClose={onClose}
    >
      <Facts
        className="rounded-md border px-3 py-1.5"
        items={[
          { term: "Amount due", value: <Money amount={invoice.amount_due} currency={invoice.currency} /> },
          { term: "Attempts so far", value: invoice.attempts.toLocaleString("en-US") },
        ]}
      />
      {usable.length > 0 ? (
        <Field label="Card" hint="For this payment only; the subscription keeps its own.">
          {(field) => (
            <Select {...field} value={chosen} onChange={(event) => setChosen(event.target.value)}>
              {usable.map((method) => (
                <option key={method.id} value={method.id}>
                  {cardName(method)}
                  {method.id === own.id ? " (the subscription’s)" : ""}
                  {method.status === "EXPIRED" ? " (expired)" : ""}
                </option>
              ))}
            </Select>
          )}
        </Field>
      ) : (
        <p>Charges {name}, the subscription’s card.</p>
      )}
      {invoice.next_attempt_at !== null && <p className="text-soft">A decline doesn’t affect the planned attempts.</p>}
    </KeyedDialog>
  );
}

const cardName = ({ card }: PaymentMethod) => (card ? cardText(card.brand, card.last4) : "a card");

/** Ends an unpaid invoice: nothing is owed for it anymore. */
export function VoidDialog({ detail: { invoice }, onClose }: InvoiceDialogProps) {
  const router = useRouter();
  const action = useKeyedAction({
    subject: `void ${invoice.id}`,
    title: `Void ${nameOf(invoice)}?`,
    request: () => keyedRequest("POST /v1/invoices/{id}/void", { params: { id: invoice.id } }),
    onChange: () => router.refresh(),
    onDone: () => {
      toast.success(`${nameOf(invoice)} is void.`);
      onClose();
    },
  });
  return (
    <KeyedDialog action={action} size="sm" submitLabel="Void invoice" danger onClose={onClose}>
      <p>
        The customer no longer owes {moneyText(invoice.amount_due, invoice.currency)}, and no further payment is
        attempted.
        {invoice.credit_used > 0 &&
          ` The credit of ${moneyText(invoice.credit_used, invoice.currency)} that it used goes back to the subscription.`}{" "}
        This cannot be undone.
      </p>
    </KeyedDialog>
  );
}

/** Marks an unpaid invoice as uncollectible; it stays owed. */
export function UncollectibleDialog({ detail: { invoice }, onClose }: InvoiceDialogProps) {
  const router = useRouter();
  const action = useKeyedAction({
    subject: `mark-uncollectible ${invoice.id}`,
    title: `Mark ${nameOf(invoice)} as uncollectible?`,
    request: () => keyedRequest("POST /v1/invoices/{id}/mark-uncollectible", { params: { id: invoice.id } }),
    onChange: () => router.refresh(),
    onDone: () => {
      toast.success(`${nameOf(invoice)} is marked as uncollectible.`);
      onClose();
    },
  });
  return (
    <KeyedDialog action={action} size="sm" submitLabel="Mark as uncollectible" danger onClose={onClose}>
      <p>
        The customer still owes {moneyText(invoice.amount_due, invoice.currency)}, but no further payment is attempted.
        The subscription itself continues. Afterwards, you can only void the invoice.
      </p>
    </KeyedDialog>
  );
}
