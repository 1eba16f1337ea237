"use client";

import { Maximize2 } from "lucide-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { missingPart } from "@/components/ui/missing-part";
import { Sheet } from "@/components/ui/modal";
import { buttonStyles } from "@/components/ui/styles";
import type { Mode } from "@/lib/contract/transactions/words";
import { PaymentPanelSkeleton } from "./payment-skeleton";

type PaymentPanelProps = {
  /** `pay_…`; null closes it. */
  paymentId: string | null;
  mode: Mode;
  onClose: () => void;
};

// Loaded when a panel is first opened, to keep it out of the list's first load.
const PanelContent = dynamic(
  () => import("./payment-panel-content").then((module) => module.PaymentPanelContent, missingPart),
  {
    ssr: false,
    loading: () => <PaymentPanelSkeleton />,
  },
);

/** A payment beside a list that stays usable. Escape closes it. */
export function PaymentPanel({ paymentId, mode, onClose }: PaymentPanelProps) {
  if (paymentId === null) return null;
  return (
    <Sheet
      open
      modal={false}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="Payment"
      actions={
        <Link href={`/${mode}/payments/${paymentId}`} className={buttonStyles({ variant: "ghost", size: "sm" })}>
          <Maximize2 aria-hidden="true" />
          Open page
        </Link>
      }
    >
      <PanelContent key={paymentId} paymentId={paymentId} mode={mode} />
    </Sheet>
  );
}
