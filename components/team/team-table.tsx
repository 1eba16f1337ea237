"use client";

import { Ellipsis, Mail, UserCog, UserMinus, UserPlus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { RadioCards } from "@/components/ui/choices";
import { FormDialog, TextField } from "@/components/ui/form";
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from "@/components/ui/menu";
import { buttonStyles } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import { toast } from "@/components/ui/toast";
import { callApi, failureText } from "@/lib/client/api";
import { useForm } from "@/lib/client/use-form";
import type { MailRoute } from "@/lib/contract/accounts/fields";
import { MERCHANT_ROLES, type MerchantRole, ROLE_LABELS, ROLE_SENTENCES } from "@/lib/contract/permissions";
import { ViewAsRole } from "./role-view";

type Member = {
  id: string;
  email: string;
  name: string | null;
  role: MerchantRole;
  /** Invited, without a password yet. */
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
        <caption className="sr-only">Members who can sign in to this account</caption>
        <thead className="max-sm:sr-only">
          <tr>
            <th scope="col" className={HEAD}>
              Member
            </th>
            <th scope="col" className={HEAD}>
              Role
            </th>
            <th scope="col" className={HEAD}>
              Two-factor authentication
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
      {dialog?.kind === "role" && <ChangeRole member={dialog.member} onClose={() => setDialog(null)} />}
      {dialog?.kind === "remove" && <Remove member={dialog.member} onClose={() => setDialog(null)} />}
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
        <span className="sm:hidden">Two-factor authentication </span>
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
      await callApi("POST /api/dashboard/team/{id}/resend", { params: { id: member.id } });
      toast.success(`Sent again to ${member.email}`, { description: "The earlier link no longer works." });
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

type ContentProps = { member: Member; onClose: () => void };

function ChangeRole({ member, onClose }: ContentProps) {
  const router = useRouter();
  const form = useForm({ role: member.role });
  const { role } = form.values;
  const name = member.name ?? member.email;

  async function change() {
    await callApi("PATCH /api/dashboard/team/{id}", { params: { id: member.id }, body: { role } });
    toast.success(`${name} is now ${ROLE_LABELS[role].toLowerCase()}`);
    onClose();
    router.refresh();
  }

  return (
    <FormDialog
      form={form}
      title={`Change the role of ${name}`}
      description="Takes effect immediately."
      submitLabel="Change role"
      disabled={!form.dirty}
      onSubmit={change}
      onClose={onClose}
    >
      <RoleCards {...form.choice("role")} />
    </FormDialog>
  );
}

function Remove({ member, onClose }: ContentProps) {
  const router = useRouter();
  const form = useForm({});
  const name = member.name ?? member.email;

  async function remove() {
    await callApi("DELETE /api/dashboard/team/{id}", { params: { id: member.id } });
    toast.success(member.invited ? "Invitation withdrawn" : `${name} was removed`);
    onClose();
    router.refresh();
  }

  return (
    <FormDialog
      form={form}
      size="sm"
      title={member.invited ? `Withdraw the invitation of ${name}?` : `Remove ${name} from the team?`}
      description={
        member.invited
          ? "The link they were sent stops working."
          : "They’re signed out immediately and can’t sign in again. What they did stays in the activity."
      }
      submitLabel={member.invited ? "Withdraw" : "Remove"}
      danger
      focus="cancel"
      onSubmit={remove}
      onClose={onClose}
    />
  );
}

const NOTICES: Record<MailRoute, string> = {
  sent: "The link in the e-mail works for seven days.",
  outbox: "No mail server is set up: the link is in the outbox at /outbox.",
  console: "No mail server is set up: the link is in the service’s console.",
};

export function InviteMember({ mail }: { mail: MailRoute }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" icon={<UserPlus aria-hidden="true" />} onClick={() => setOpen(true)}>
        Invite
      </Button>
      {open && <Invitation mail={mail} onClose={() => setOpen(false)} />}
    </>
  );
}

function Invitation({ mail, onClose }: { mail: MailRoute; onClose: () => void }) {
  const router = useRouter();
  const form = useForm({ email: "", role: "viewer" as MerchantRole });

  async function invite() {
    await callApi("POST /api/dashboard/team", { body: form.values });
    toast.success(`${form.values.email.trim()} is invited`, { description: NOTICES[mail] });
    onClose();
    router.refresh();
  }

  return (
    <FormDialog
      form={form}
      title="Invite to the team"
      description="They receive an e-mail with a link to set a password."
      submitLabel="Send invitation"
      onSubmit={invite}
      onClose={onClose}
    >
      <TextField label="E-mail address" {...form.field("email")} type="email" autoComplete="off" />
      <RoleCards {...form.choice("role")} />
    </FormDialog>
  );
}

/** Describes each role, and lets owners view the dashboard as it. */
export function RoleGuide() {
  return (
    <section className="mt-8" aria-labelledby="roles">
      <h2 id="roles" className="mb-2 font-medium text-sm">
        Roles
      </h2>
      <dl className="text-[13px]">
        {MERCHANT_ROLES.map((role) => (
          <div key={role} className="flex flex-wrap items-baseline gap-x-6 gap-y-1 border-t py-2.5">
            <dt className="w-24 font-medium">{ROLE_LABELS[role]}</dt>
            <dd className="min-w-64 max-w-prose flex-1 text-soft">{ROLE_SENTENCES[role]}</dd>
            {role !== "owner" && (
              <dd className="ml-auto">
                <ViewAsRole role={role} label={ROLE_LABELS[role]} />
              </dd>
            )}
          </div>
        ))}
      </dl>
    </section>
  );
}

type RoleCardsProps = { value: MerchantRole; onChange: (role: MerchantRole) => void; error: string | undefined };

function RoleCards(props: RoleCardsProps) {
  return (
    <RadioCards
      legend="Role"
      options={MERCHANT_ROLES.map((role) => ({
        value: role,
        label: ROLE_LABELS[role],
        description: ROLE_SENTENCES[role],
      }))}
      {...props}
    />
  );
}
