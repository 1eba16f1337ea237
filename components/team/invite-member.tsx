"use client";

import { UserPlus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import { FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { Field, Input } from "@/components/ui/field";
import { RadioCards } from "@/components/ui/radio-cards";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";
import type { MailRoute } from "@/lib/contract/accounts/fields";
import { MERCHANT_ROLES, type MerchantRole, ROLE_LABELS, ROLE_SENTENCES } from "@/lib/contract/permissions";

const NOTICES: Record<MailRoute, string> = {
  sent: "The link in the mail works for seven days.",
  outbox: "No mail server is set up: the link is in the outbox, /outbox.",
  console: "No mail server is set up: the link is on the console of the service.",
};

export function InviteMember({ mail }: { mail: MailRoute }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" icon={<UserPlus aria-hidden="true" />} onClick={() => setOpen(true)}>
        Invite
      </Button>
      <Dialog open={open} onOpenChange={setOpen}>
        {open && <Content mail={mail} onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  );
}

function Content({ mail, onClose }: { mail: MailRoute; onClose: () => void }) {
  const router = useRouter();
  const formId = useId();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<MerchantRole>("viewer");
  const { pending, failure, run } = useSubmit(["email"]);

  async function invite() {
    await callApi({ method: "POST", path: "/api/dashboard/team", body: { email, role } });
    const description = NOTICES[mail];
    toast.success(`${email.trim()} is invited`, { description });
    onClose();
    router.refresh();
  }

  return (
    <DialogContent
      title="Invite to the team"
      description="They get a mail with a link to choose a password."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" pending={pending}>
            Send invitation
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={(event) => run(invite, event)} className="flex flex-col gap-4">
        <FormFailure failure={failure} />
        <Field label="E-mail address" error={failure.fields.email}>
          {(props) => (
            <Input
              {...props}
              type="email"
              name="email"
              autoComplete="off"
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          )}
        </Field>
        <RoleCards value={role} onChange={setRole} />
      </form>
    </DialogContent>
  );
}

type RoleCardsProps = { value: MerchantRole; onChange: (role: MerchantRole) => void };

export function RoleCards({ value, onChange }: RoleCardsProps) {
  return (
    <RadioCards
      legend="Role"
      options={MERCHANT_ROLES.map((role) => ({
        value: role,
        label: ROLE_LABELS[role],
        description: ROLE_SENTENCES[role],
      }))}
      value={value}
      onChange={onChange}
    />
  );
}
