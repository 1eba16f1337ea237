"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { ShownSecretDialog } from "@/components/api-keys/secret-dialog";
import { Button } from "@/components/ui/button";
import { Facts } from "@/components/ui/card";
import { FormDialog, TextareaField } from "@/components/ui/form";
import { Time } from "@/components/ui/time";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useForm } from "@/lib/client/use-form";
import type { ApprovalRequest } from "@/lib/contract/approvals/approvals";
import type { ApprovalAction, ApprovalDecision } from "@/lib/contract/approvals/words";
import { approvalTitle } from "./approval-changes";

/** A request's reason, its requester and its decision. */
export function ApprovalFacts({ request }: { request: ApprovalRequest }) {
  const { requested_by, decided_by, decided_at, status, comment, collect_before } = request;
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
        ...(status === "PENDING" || status === "EXPIRED"
          ? [{ term: status === "PENDING" ? "Expires" : "Expired", value: <Time at={request.expires_at} /> }]
          : []),
        ...(collect_before
          ? [{ term: "Secret", value: <Collectable by={requested_by.name} at={collect_before} /> }]
          : []),
      ]}
    />
  );
}

const Collectable = ({ by, at }: { by: string; at: string }) => (
  <>
    {by} can collect it once, until <Time at={at} />
  </>
);

/** Buttons for what the viewer may do with a request. */
export function ApprovalActions({ request }: { request: ApprovalRequest }) {
  const [open, setOpen] = useState<ApprovalDecision | null>(null);
  const { available_actions: actions } = request;
  // The dialog with a collected secret outlives the right to collect it.
  if (actions.length === 0 && open === null) return null;
  const close = () => setOpen(null);
  return (
    <>
      {actions.includes("approve") && (
        <Button variant="primary" onClick={() => setOpen("approve")}>
          Approve…
        </Button>
      )}
      {actions.includes("reject") && <Button onClick={() => setOpen("reject")}>Reject…</Button>}
      {actions.includes("withdraw") && <Button onClick={() => setOpen("withdraw")}>Withdraw…</Button>}
      {actions.includes("collect") && (
        <Button variant="primary" onClick={() => setOpen("collect")}>
          Collect the secret…
        </Button>
      )}
      {open === "collect" && <CollectDialog request={request} onClose={close} />}
      {open && open !== "collect" && <DecisionDialog decision={open} request={request} onClose={close} />}
    </>
  );
}

type Decision = Exclude<ApprovalDecision, "collect">;
type DecisionDialogProps = { decision: Decision; request: ApprovalRequest; onClose: () => void };

/** Words of an action: what an approval does, what its button says, and what was done. */
const WORDS: Record<ApprovalAction, { does: (name: string) => string; button: string; done: string }> = {
  REFUND: {
    does: (name) => `The money goes back to the customer’s card now, at ${name}’s request. It cannot be undone.`,
    button: "Approve and refund",
    done: "refunded",
  },
  BANK_ACCOUNT: {
    does: (name) => `New payouts go to this account from now on, at ${name}’s request. Payouts in transit keep theirs.`,
    button: "Approve and change the account",
    done: "the bank account is changed",
  },
  LIVE_KEY: {
    does: (name) => `The key can then do what this page lists with real money, at ${name}’s request.`,
    button: "Approve the key",
    done: "the key is changed",
  },
  APPROVAL_RULE: {
    does: (name) => `Less needs approval from now on, at ${name}’s request.`,
    button: "Approve and change the rule",
    done: "the rule is changed",
  },
};

function DecisionDialog({ decision, request, onClose }: DecisionDialogProps) {
  const { mode } = useDashboard();
  const router = useRouter();
  const queries = useQueryClient();
  const form = useForm({ comment: "" });
  const title = approvalTitle(request);
  const { name } = request.requested_by;
  const words = WORDS[request.action];
  const amount = "amount" in request.parameters ? ` ${title.replace("Refund of ", "")}` : "";

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
    if (data.status === "FAILED") toast.error("Nothing was done", { description: data.comment ?? "" });
    else if (data.collect_before) toast.success("Approved", { description: `${name} can now collect the secret.` });
    else if (data.status === "APPROVED")
      toast.success(amount ? `Approved:${amount} is refunded` : `Approved: ${words.done}`);
    else toast.success(DONE[decision]);
    onClose();
    await Promise.all(
      [["approvals"], ["payment", request.subject], ["transactions"]].map((queryKey) =>
        queries.invalidateQueries({ queryKey }),
      ),
    );
    router.refresh();
  }

  const titles = {
    approve: "Approve this request?",
    reject: "Reject this request?",
    withdraw: "Withdraw your request?",
  };
  const descriptions = {
    approve: `${title}. ${words.does(name)}`,
    reject: `Nothing is done. ${name} gets an e-mail.`,
    withdraw: "Nothing is done. You can request it again.",
  };
  const labels = { approve: `${words.button}${amount}`, reject: "Reject", withdraw: "Withdraw" };
  return (
    <FormDialog
      form={form}
      size="sm"
      title={titles[decision]}
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

const DONE = { approve: "Approved", reject: "Rejected: nothing was done", withdraw: "Request withdrawn" };

const SECRET_WORDS = {
  what: "key",
  kept: "Cardlane stores only a hash of it and cannot show it again.",
  loss: "If you lose it, a colleague has to approve another.",
};

/** Creates the approved key and shows its secret, once. */
function CollectDialog({ request, onClose }: { request: ApprovalRequest; onClose: () => void }) {
  const { mode } = useDashboard();
  const router = useRouter();
  const form = useForm({});
  const [made, setMade] = useState<{ name: string; secret: string } | null>(null);

  async function collect() {
    const params = { mode, id: request.id };
    const { data } = await callApi("POST /api/dashboard/{mode}/approval-requests/{id}/collect", { params });
    setMade({ name: data.api_key.name, secret: data.secret });
  }

  if (made !== null) {
    return (
      <ShownSecretDialog
        {...made}
        words={SECRET_WORDS}
        onDone={() => {
          setMade(null);
          onClose();
          router.refresh();
        }}
      />
    );
  }
  return (
    <FormDialog
      form={form}
      size="sm"
      title="Create the key and show its secret?"
      description="The key works from now on. Its secret is shown once, so have a safe place ready."
      submitLabel="Create and show"
      focus="submit"
      onSubmit={collect}
      onClose={onClose}
    />
  );
}
