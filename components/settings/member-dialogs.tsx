"use client";

import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { FormFailure } from "@/components/ui/form-failure";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";
import { ROLE_LABELS } from "@/lib/contract/roles";
import { RoleCards } from "./role-cards";
import type { Member } from "./team-table";

export type MemberDialog = { kind: "role" | "remove"; member: Member };

type MemberDialogsProps = { dialog: MemberDialog | null; onClose: () => void };

export function MemberDialogs({ dialog, onClose }: MemberDialogsProps) {
  return (
    <Dialog open={dialog !== null} onOpenChange={onClose}>
      {dialog?.kind === "role" && <ChangeRole member={dialog.member} onClose={onClose} />}
      {dialog?.kind === "remove" && <Remove member={dialog.member} onClose={onClose} />}
    </Dialog>
  );
}

type ContentProps = { member: Member; onClose: () => void };

function ChangeRole({ member, onClose }: ContentProps) {
  const router = useRouter();
  const formId = useId();
  const [role, setRole] = useState(member.role);
  const { pending, failure, run } = useSubmit([]);

  async function change() {
    await callApi({ method: "PATCH", path: `/api/dashboard/team/${member.id}`, body: { role } });
    toast.success(`${member.name ?? member.email} is now ${ROLE_LABELS[role].toLowerCase()}`);
    onClose();
    router.refresh();
  }

  return (
    <DialogContent
      title={`Change the role of ${member.name ?? member.email}`}
      description="It counts from their next click on."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" pending={pending} disabled={role === member.role}>
            Change role
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={(event) => run(change, event)} className="flex flex-col gap-4">
        <FormFailure failure={failure} />
        <RoleCards value={role} onChange={setRole} />
      </form>
    </DialogContent>
  );
}

function Remove({ member, onClose }: ContentProps) {
  const router = useRouter();
  const { pending, failure, run } = useSubmit([]);
  const name = member.name ?? member.email;

  async function remove() {
    await callApi({ method: "DELETE", path: `/api/dashboard/team/${member.id}` });
    toast.success(member.invited ? "Invitation withdrawn" : `${name} was removed`);
    onClose();
    router.refresh();
  }

  return (
    <DialogContent
      size="sm"
      title={member.invited ? `Withdraw the invitation of ${name}?` : `Remove ${name} from the team?`}
      description={
        member.invited
          ? "The link they were sent stops working."
          : "They are signed out at once and cannot sign in again. What they did stays in the history."
      }
      footer={
        <>
          <Button onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button variant="danger" pending={pending} onClick={() => run(remove)}>
            {member.invited ? "Withdraw" : "Remove"}
          </Button>
        </>
      }
    >
      <FormFailure failure={failure} />
    </DialogContent>
  );
}
