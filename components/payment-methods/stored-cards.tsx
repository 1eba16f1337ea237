"use client";

import { Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { KeyedDialog } from "@/components/payments/keyed-dialog";
import { Badge } from "@/components/ui/badge";
import { CopyId } from "@/components/ui/copy";
import { IconButton } from "@/components/ui/floating";
import { toast } from "@/components/ui/toast";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useKeyedAction } from "@/lib/client/payments/keyed-action";
import { keyedRequest } from "@/lib/client/payments/keyed-request";
import { cardText } from "@/lib/contract/format";
import type { PaymentMethod } from "@/lib/contract/payment-methods/payment-method";

const STATUS_WORDS = { ACTIVE: "Active", EXPIRED: "Expired", REMOVED: "Removed" } as const;
const STATUS_TONES = { ACTIVE: "green", EXPIRED: "amber", REMOVED: "neutral" } as const;

const nameOf = ({ card }: PaymentMethod) => (card ? cardText(card.brand, card.last4) : "A card");

/** A customer's cards on file, which can be removed. */
export function StoredCards({ methods }: { methods: readonly PaymentMethod[] }) {
  const { can } = useDashboard();
  const [removing, setRemoving] = useState<PaymentMethod | null>(null);
  return (
    <>
      <ul className="-my-1">
        {methods.map((method) => (
          <li key={method.id} id={method.id} className="flex flex-wrap items-start justify-between gap-x-4 py-1">
            <span className="tabular-nums">
              {nameOf(method)}{" "}
              {method.card && (
                <span className="text-soft">
                  {String(method.card.exp_month).padStart(2, "0")}/{method.card.exp_year}
                </span>
              )}
              <br />
              <CopyId id={method.id} short label="Copy payment method id" />
            </span>
            <span className="flex items-center gap-1">
              <Badge tone={STATUS_TONES[method.status]}>{STATUS_WORDS[method.status]}</Badge>
              {can("payment_method.write") && method.status !== "REMOVED" && (
                <IconButton label={`Remove ${nameOf(method)}`} onClick={() => setRemoving(method)}>
                  <Trash2 aria-hidden="true" />
                </IconButton>
              )}
            </span>
          </li>
        ))}
      </ul>
      {removing && <RemoveDialog method={removing} onClose={() => setRemoving(null)} />}
    </>
  );
}

function RemoveDialog({ method, onClose }: { method: PaymentMethod; onClose: () => void }) {
  const router = useRouter();
  const action = useKeyedAction({
    subject: `remove ${method.id}`,
    title: `Remove ${nameOf(method)}?`,
    request: () => keyedRequest("DELETE /v1/payment-methods/{id}", { params: { id: method.id } }),
    onChange: () => router.refresh(),
    onDone: () => {
      toast.success(`${nameOf(method)} is removed.`);
      onClose();
    },
  });
  return (
    <KeyedDialog action={action} size="sm" submitLabel="Remove card" danger onClose={onClose}>
      <p>It is never charged again, and the processor deletes it. The customer has to enter it again to use it.</p>
    </KeyedDialog>
  );
}
