"use client";

import { Ellipsis, Mail, UserCog, UserMinus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import { Badge } from "@/components/ui/badge";
import { FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from "@/components/ui/menu";
import { buttonStyles } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { toast } from "@/components/ui/toast";
import { callApi, failureText } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";
import { type MerchantRole, ROLE_LABELS } from "@/lib/contract/permissions";
import { RoleCards } from "./invite-member";

type Member = {
  id: string;
  email: string;
  name: string | null;
  role: MerchantRole;
  /** Has not chosen a password yet. */
  invited: boolean;
  secondFactor: boolean;
  /** ISO 8601. */
  lastSignInAt: string | null;
  isSelf: boolean;
};

const HEAD = "border-b px-4 py-2 text-left font-medium text-soft text-xs";

export function TeamTable({ members }: { members: Member[] }) {
  const [dialog, setDialog] = useState<MemberDialog | null>(null);
  return (
    <div className="rounded-lg border">
      <table className="w-full text-[13px] max-sm:block">
        <caption className="sr-only">People who can sign in to this account</caption>
        <thead className="max-sm:sr-only">
          <tr>
            <th scope="col" className={HEAD}>
              Person
            </th>
            <th scope="col" className={HEAD}>
              Role
            </th>
            <th scope="col" className={HEAD}>
              Second factor
            </th>
            <th scope="col" className={HEAD}>
              Last sign-in
            </th>
            <th scope="col" className={HEAD}>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {members.map((member) => (
            <MemberRow key={member.id} member={member} onDialog={(kind) => setDialog({ kind, member })} />
          ))}
        </tbody>
      </table>
      <MemberDialogs dialog={dialog} onClose={() => setDialog(null)} />
    </div>
  );
}

const CELL = "px-4 py-2.5 align-middle max-sm:block max-sm:px-0 max-sm:py-0";

type MemberRowProps = { member: Member; onDialog: (kind: MemberDialog["kind"]) => void };

function MemberRow({ member, onDialog }: MemberRowProps) {
  return (
    <tr className="not-last:border-b max-sm:relative max-sm:flex max-sm:flex-wrap max-sm:gap-x-3 max-sm:gap-y-1 max-sm:px-4 max-sm:py-3">
      <td className={`${CELL} max-sm:w-full max-sm:pr-10`}>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium [overflow-wrap:anywhere]">
          {member.name ?? member.email}
          {member.isSelf && <Badge tone="accent">You</Badge>}
          {member.invited && <Badge tone="amber">Invited</Badge>}
        </span>
        {member.name && <span className="block text-soft text-xs [overflow-wrap:anywhere]">{member.email}</span>}
      </td>
      <td className={CELL}>{ROLE_LABELS[member.role]}</td>
      <td className={`${CELL} text-soft`}>
        <span className="sm:hidden">Second factor </span>
        {member.secondFactor ? <span className="text-green">On</span> : "Off"}
      </td>
      <td className={`${CELL} text-soft`}>
        <span className="sm:hidden">Last sign-in </span>
        {member.lastSignInAt ? <Time at={member.lastSignInAt} style="relative" /> : "Never"}
      </td>
      <td className={`${CELL} text-right max-sm:absolute max-sm:top-2 max-sm:right-3 sm:w-px`}>
        <MemberActions member={member} onDialog={onDialog} />
      </td>
    </tr>
  );
}

type MemberActionsProps = { member: Member; onDialog: (kind: MemberDialog["kind"]) => void };

function MemberActions({ member, onDialog }: MemberActionsProps) {
  const router = useRouter();

  async function resend() {
    try {
      await callApi({ method: "POST", path: `/api/dashboard/team/${member.id}/resend` });
      toast.success(`Sent again to ${member.email}`, { description: "The link of the earlier mail stopped working." });
      router.refresh();
    } catch (error) {
      toast.error("Not sent", { description: failureText(error) });
    }
  }

  return (
    <Menu>
      <MenuTrigger className={buttonStyles({ variant: "ghost", size: "sm", className: "button-icon" })}>
        <Ellipsis aria-hidden="true" />
        <span className="sr-only">Actions for {member.name ?? member.email}</span>
      </MenuTrigger>
      <MenuContent align="end" label={`Actions for ${member.name ?? member.email}`}>
        <MenuItem icon={<UserCog aria-hidden="true" />} onSelect={() => onDialog("role")}>
          Change role
        </MenuItem>
        {member.invited && (
          <MenuItem icon={<Mail aria-hidden="true" />} onSelect={() => void resend()}>
            Send invitation again
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem
          danger
          icon={<UserMinus aria-hidden="true" />}
          disabled={member.isSelf}
          description={member.isSelf ? "Another owner can remove you." : undefined}
          onSelect={() => onDialog("remove")}
        >
          {member.invited ? "Withdraw invitation" : "Remove"}
        </MenuItem>
      </MenuContent>
    </Menu>
  );
}

type MemberDialog = { kind: "role" | "remove"; member: Member };

type MemberDialogsProps = { dialog: MemberDialog | null; onClose: () => void };

function MemberDialogs({ dialog, onClose }: MemberDialogsProps) {
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
