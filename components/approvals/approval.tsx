"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Facts } from "@/components/ui/card";
import { FormDialog, TextareaField } from "@/components/ui/form";
import { Time } from "@/components/ui/time";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useForm } from "@/lib/client/use-form";
import type { ApprovalRequest } from "@/lib/contract/approvals/approvals";
import type { ApprovalDecision } from "@/lib/contract/approvals/words";
import { moneyText } from "@/lib/contract/format";
import { REFUND_REASON_WORDS } from "@/lib/contract/payments/words";

/** A request with its reason, its requester and its decision. */
export function ApprovalFacts({ request }: { request: ApprovalRequest }) {
  const { parameters, requested_by, decided_by, decided_at, status, comment } = request;
  const refundReason = [parameters.reason && REFUND_REASON_WORDS[parameters.reason], parameters.comment];
  return (
    <Facts
      items={[
        {
          term: "Requested by",
          value: (
            <>
              {requested_by.name}, <Time at={request.created_at} />
            </>
          ),
        },
        { term: "Why", value: request.reason },
        { term: "Refund reason", value: refundReason.filter(Boolean).join(": ") || null },
        ...(parameters.acknowledge_dispute ? [{ term: "Dispute", value: "Refund all the same" }] : []),
        ...(decided_by && decided_at
          ? [
              {
                term: status === "REJECTED" ? "Rejected by" : "Approved by",
                value: (
                  <>
                    {decided_by.name}, <Time at={decided_at} />
                  </>
                ),
              },
            ]
          : []),
        ...(comment ? [{ term: status === "REJECTED" ? "Comment" : "What happened", value: comment }] : []),
        ...(status === "PENDING" ? [{ term: "Ends", value: <Time at={request.expires_at} /> }] : []),
      ]}
    />
  );
}

/** Buttons for what the viewer may do with a request. */
export function ApprovalActions({ request }: { request: ApprovalRequest }) {
  const [open, setOpen] = useState<ApprovalDecision | null>(null);
  const { available_actions: actions } = request;
  if (actions.length === 0) return null;
  return (
    <>
      {actions.includes("approve") && (
        <Button variant="primary" onClick={() => setOpen("approve")}>
          Approve…
        </Button>
      )}
      {actions.includes("reject") && <Button onClick={() => setOpen("reject")}>Reject…</Button>}
      {actions.includes("withdraw") && <Button onClick={() => setOpen("withdraw")}>Withdraw…</Button>}
      {open && <DecisionDialog decision={open} request={request} onClose={() => setOpen(null)} />}
    </>
  );
}

const TITLES = { approve: "Approve this refund?", reject: "Reject this request?", withdraw: "Withdraw your request?" };

type DecisionDialogProps = { decision: ApprovalDecision; request: ApprovalRequest; onClose: () => void };

function DecisionDialog({ decision, request, onClose }: DecisionDialogProps) {
  const { mode } = useDashboard();
  const router = useRouter();
  const queries = useQueryClient();
  const form = useForm({ comment: "" });
  const amount = moneyText(request.parameters.amount, request.parameters.currency);
  const { name } = request.requested_by;

  async function decide() {
    const params = { mode, id: request.id };
    const comment = form.values.comment.trim();
    const { data } = await {
      approve: () => callApi("POST /api/dashboard/{mode}/approval-requests/{id}/approve", { params }),
      reject: () =>
        callApi("POST /api/dashboard/{mode}/approval-requests/{id}/reject", {
          params,
          body: comment ? { comment } : {},
        }),
      withdraw: () => callApi("POST /api/dashboard/{mode}/approval-requests/{id}/withdraw", { params }),
    }[decision]();
    if (data.status === "FAILED") toast.error("Not refunded", { description: data.comment ?? "" });
    else toast.success(data.status === "APPROVED" ? `Approved: ${amount} is refunded` : DONE[decision]);
    onClose();
    await Promise.all(
      [["approvals"], ["payment", request.subject], ["transactions"]].map((queryKey) =>
        queries.invalidateQueries({ queryKey }),
      ),
    );
    router.refresh();
  }

  const descriptions = {
    approve: `${amount} goes back to the customer’s card now, on ${name}’s request. It cannot be undone.`,
    reject: `Nothing is refunded. ${name} gets an e-mail.`,
    withdraw: "Nothing is refunded. You can request it again.",
  };
  const labels = { approve: `Approve and refund ${amount}`, reject: "Reject", withdraw: "Withdraw" };
  return (
    <FormDialog
      form={form}
      size="sm"
      title={TITLES[decision]}
      description={descriptions[decision]}
      submitLabel={labels[decision]}
      danger={decision === "approve"}
      focus="cancel"
      onSubmit={decide}
      onClose={onClose}
    >
      {decision === "reject" && (
        <TextareaField label="Comment" optional rows={2} maxLength={500} {...form.field("comment")} />
      )}
    </FormDialog>
  );
}

const DONE = { approve: "Approved", reject: "Rejected: nothing was refunded", withdraw: "Request withdrawn" };
