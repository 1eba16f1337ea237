"use client";

import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { FormDialog, TextareaField } from "@/components/ui/form";
import { toast } from "@/components/ui/toast";
import { ApiError, callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useForm } from "@/lib/client/use-form";
import type { RequestedAct } from "@/lib/contract/approvals/approvals";
import { APPROVAL_DAYS, APPROVAL_REQUIRED } from "@/lib/contract/approvals/words";

type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never;
export type ActToRequest = Without<RequestedAct, "reason">;

type RequestApprovalProps = {
  /** Why the member may not act alone. */
  detail: string;
  act: ActToRequest;
  /** Shows the requested act, where the page behind the dialog does not. */
  shown?: ReactNode;
  onRequested?: () => void;
  onClose: () => void;
};

/** Replaces a dialog once the service has refused its act for want of a second person. */
export function RequestApproval({ detail, act, shown, onRequested, onClose }: RequestApprovalProps) {
  const { mode } = useDashboard();
  const queries = useQueryClient();
  const form = useForm(
    { reason: "" },
    { check: ({ reason }) => (reason.trim() === "" ? { reason: "Say why it should be done." } : {}) },
  );

  async function request() {
    const body = { ...act, reason: form.values.reason } as RequestedAct;
    await callApi("POST /api/dashboard/{mode}/approval-requests", { params: { mode }, body });
    await queries.invalidateQueries({ queryKey: ["approvals"] });
    toast.success("Approval requested", { description: "Colleagues who may decide get an e-mail." });
    onClose();
    onRequested?.();
  }

  return (
    <FormDialog
      form={form}
      title="Request approval"
      description={detail}
      submitLabel="Request approval"
      onSubmit={request}
      onClose={onClose}
    >
      {shown && <div className="rounded-md border px-3 py-1.5">{shown}</div>}
      <TextareaField
        label="Reason for your colleagues"
        hint={`They see it with your name. ${afterApproval(act)}`}
        rows={3}
        maxLength={500}
        {...form.field("reason")}
      />
    </FormDialog>
  );
}

/** The result of an approval: a key with a new secret is made when its requester collects it. */
function afterApproval(act: ActToRequest): string {
  const isCollected = act.action === "LIVE_KEY" && (act.parameters.act === "CREATE" || act.parameters.act === "ROTATE");
  return isCollected
    ? `Once one of them approves, within ${APPROVAL_DAYS} days, you collect the key’s secret under Approvals.`
    : `It is done once one of them approves, within ${APPROVAL_DAYS} days.`;
}

/** Runs an act, and keeps it to be requested if it needs a second person. */
export function useApprovalNeed() {
  const [need, setNeed] = useState<{ detail: string; act: ActToRequest } | null>(null);
  async function orRequest(act: ActToRequest, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ApiError) || error.body[APPROVAL_REQUIRED] !== true) throw error;
      setNeed({ detail: error.detail, act });
    }
  }
  return { need, orRequest, forget: () => setNeed(null) };
}
