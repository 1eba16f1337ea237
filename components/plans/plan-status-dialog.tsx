"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { FormFailure } from "@/components/ui/form-failure";
import { callApi } from "@/lib/client/api";
import { failureText } from "@/lib/client/failure-text";
import type { Plan } from "@/lib/contract/plan";
import type { Mode } from "@/lib/contract/transaction-words";

type PlanStatusDialogProps = {
  plan: Plan;
  mode: Mode;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onChanged: (plan: Plan) => void;
};

/** Activates a plan, or deactivates an active one, once it is clear what that means. */
export function PlanStatusDialog({ plan, mode, open, onOpenChange, onChanged }: PlanStatusDialogProps) {
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const deactivate = plan.status === "ACTIVE";

  async function change() {
    setPending(true);
    setFailure(null);
    try {
      const verb = deactivate ? "deactivate" : "activate";
      const path = `/v1/subscription-plans/${plan.id}/${verb}`;
      onChanged((await callApi<Plan>({ method: "POST", path, mode, body: {} })).data);
    } catch (error) {
      setFailure(failureText(error));
    } finally {
      setPending(false);
    }
  }

  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        setFailure(null);
        onOpenChange(next);
      }}
    >
      <DialogContent
        title={deactivate ? `Deactivate ${plan.name}?` : `Activate ${plan.name}?`}
        dismissible={!pending}
        footer={
          <>
            <Button onClick={() => onOpenChange(false)} disabled={pending}>
              Cancel
            </Button>
            <Button variant={deactivate ? "danger" : "primary"} pending={pending} onClick={change} data-autofocus>
              {deactivate ? "Deactivate plan" : "Activate plan"}
            </Button>
          </>
        }
      >
        <ul className="flex list-disc flex-col gap-1 pl-4">
          {(deactivate ? DEACTIVATE : ACTIVATE).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
          {plan.status === "DRAFT" && <li>It never becomes a draft again.</li>}
        </ul>
        <FormFailure failure={{ text: failure }} className="mt-4" />
      </DialogContent>
    </Dialog>
  );
}

const ACTIVATE = [
  "New payments and checkout sessions can use the plan from now on.",
  "Its price and timing are fixed for as long as it is active.",
];
const DEACTIVATE = [
  "New payments and checkout sessions with this plan are refused from now on.",
  "Payments that were made stay as they are.",
  "Its price and timing can be changed again, and it can be activated again.",
];
