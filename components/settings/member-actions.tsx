"use client";

import { Ellipsis, Mail, UserCog, UserMinus } from "lucide-react";
import { useRouter } from "next/navigation";
import { buttonStyles } from "@/components/ui/button";
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { failureText } from "@/lib/client/failure-text";
import type { MemberDialog } from "./member-dialogs";
import type { Member } from "./team-table";

type MemberActionsProps = { member: Member; onDialog: (kind: MemberDialog["kind"]) => void };

export function MemberActions({ member, onDialog }: MemberActionsProps) {
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
