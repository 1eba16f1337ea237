"use client";

import { useState } from "react";
import { Badge } from "@/components/ui/badge";
import { Time } from "@/components/ui/time";
import { type MerchantRole, ROLE_LABELS } from "@/lib/contract/roles";
import { MemberActions } from "./member-actions";
import { type MemberDialog, MemberDialogs } from "./member-dialogs";

export type Member = {
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
