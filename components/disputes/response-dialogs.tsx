"use client";

import { useRouter } from "next/navigation";
import { KeyedDialog } from "@/components/payments/keyed-dialog";
import { Banner } from "@/components/ui/banner";
import { Facts, Money } from "@/components/ui/card";
import { toast } from "@/components/ui/toast";
import { useKeyedAction } from "@/lib/client/payments/keyed-action";
import { keyedRequest } from "@/lib/client/payments/keyed-request";
import type { Dispute } from "@/lib/contract/disputes/dispute";
import { moneyText } from "@/lib/contract/format";

type SubmitDialogProps = { dispute: Dispute; files: number; empty: boolean; onClose: () => void };

/** Sends the saved evidence to the bank, once. */
export function SubmitDialog({ dispute, files, empty, onClose }: SubmitDialogProps) {
  const router = useRouter();
  const action = useKeyedAction({
    subject: `submit ${dispute.id}`,
    title: "Submit evidence",
    request: () => keyedRequest("POST /v1/disputes/{id}/submit", { params: { id: dispute.id }, body: {} }),
    onChange: () => router.refresh(),
    onDone: ({ status }) => {
      if (status !== "NEEDS_RESPONSE") toast.success("Evidence submitted.");
      onClose();
    },
  });
  return (
    <KeyedDialog
      action={action}
      description="The bank decides by this evidence. You can submit once, and not change it afterwards."
      submitLabel="Submit evidence"
      disabled={empty}
      onClose={onClose}
    >
      {empty ? (
        <Banner tone="amber">There is no evidence yet. Fill in the form or add files first.</Banner>
      ) : (
        <p>
          {files === 0 ? "No files are attached." : `${files} ${files === 1 ? "file is" : "files are"} attached.`} The
          bank’s decision usually takes several weeks.
        </p>
      )}
    </KeyedDialog>
  );
}

/** Gives the disputed amount up. */
export function AcceptDialog({ dispute, onClose }: { dispute: Dispute; onClose: () => void }) {
  const router = useRouter();
  const amount = moneyText(dispute.amount, dispute.currency);
  const action = useKeyedAction({
    subject: `accept ${dispute.id}`,
    title: "Accept dispute",
    request: () => keyedRequest("POST /v1/disputes/{id}/accept", { params: { id: dispute.id }, body: {} }),
    onChange: () => router.refresh(),
    onDone: ({ status }) => {
      if (status !== "NEEDS_RESPONSE") toast.success("Dispute accepted.");
      onClose();
    },
  });
  return (
    <KeyedDialog
      action={action}
      description="The cardholder keeps the money, and the dispute ends. This can’t be undone."
      submitLabel={`Give up ${amount}`}
      danger
      onClose={onClose}
    >
      <Facts
        className="rounded-md border px-3 py-1.5"
        items={[
          { term: "You give up", value: <Money amount={dispute.amount} currency={dispute.currency} /> },
          {
            term: "Processor’s fee",
            value: dispute.fee === null ? "Not known" : <Money amount={dispute.fee} currency={dispute.currency} />,
          },
        ]}
      />
      <p className="text-soft">
        Evidence that you saved isn’t sent. Don’t refund the payment as well: you would pay twice.
      </p>
    </KeyedDialog>
  );
}
