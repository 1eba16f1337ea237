"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { RequestApproval, useApprovalNeed } from "@/components/approvals/request-approval";
import { BankAccountChanges } from "@/components/approvals/settings-changes";
import { Button } from "@/components/ui/button";
import { FormDialog, TextField } from "@/components/ui/form";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useForm } from "@/lib/client/use-form";
import type { BankAccount } from "@/lib/contract/settlement/payout";

import type { Mode } from "@/lib/contract/transactions/words";

/** Retries a failed payout with the returned money. */
export function RetryPayout({ id, mode, currency }: { id: string; mode: Mode; currency: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        Retry
      </Button>
      {open && <RetryDialog id={id} mode={mode} currency={currency} onClose={() => setOpen(false)} />}
    </>
  );
}

type RetryDialogProps = { id: string; mode: Mode; currency: string; onClose: () => void };

function RetryDialog({ id, mode, currency, onClose }: RetryDialogProps) {
  const router = useRouter();
  const form = useForm({});

  async function retry() {
    const { data: payout } = await callApi("POST /api/dashboard/{mode}/payouts/{id}/retry", { params: { mode, id } });
    onClose();
    toast.success("Payout created");
    router.push(`/${mode}/payouts/${payout.id}`);
  }

  return (
    <FormDialog
      form={form}
      title="Retry this payout?"
      submitLabel="Retry payout"
      focus="submit"
      onSubmit={retry}
      onClose={onClose}
    >
      <ul className="flex list-disc flex-col gap-1 pl-4">
        <li>A new payout takes everything available in {currency}.</li>
        <li>It goes to your current bank account. Check it first: the bank refused the last payout.</li>
      </ul>
    </FormDialog>
  );
}

/** Shows the bank account for payouts, which owners and admins can change. */
export function BankAccountButton({ account, mode }: { account: BankAccount; mode: Mode }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Bank account •••• {account.last4}</Button>
      {open && <BankAccountDialog account={account} mode={mode} onClose={() => setOpen(false)} />}
    </>
  );
}

function BankAccountDialog({ account, mode, onClose }: { account: BankAccount; mode: Mode; onClose: () => void }) {
  const router = useRouter();
  const { holder, bank_name, country } = account;
  const form = useForm({ holder, bank_name, country, account_number: "" });
  const { need, orRequest } = useApprovalNeed();

  async function save() {
    const body = { ...form.values, country: form.values.country.trim().toUpperCase() };
    await orRequest({ action: "BANK_ACCOUNT", parameters: body }, async () => {
      await callApi("PATCH /api/dashboard/{mode}/bank-account", { params: { mode }, body });
      onClose();
      toast.success("Bank account saved");
      router.refresh();
    });
  }

  if (need?.act.action === "BANK_ACCOUNT") {
    const { account_number, ...after } = need.act.parameters;
    const last4 = account_number.replace(/[\s-]/g, "").toUpperCase().slice(-4);
    return (
      <RequestApproval
        {...need}
        shown={<BankAccountChanges before={account} after={{ ...after, last4 }} />}
        onClose={onClose}
      />
    );
  }

  return (
    <FormDialog form={form} title="Bank account" submitLabel="Save bank account" onSubmit={save} onClose={onClose}>
      <p className="text-[13px] text-soft">
        New payouts go to this account. Only the last four characters of its number are stored. In the sandbox no money
        moves, and a number ending in 0000 makes payouts fail.
      </p>
      <TextField label="Account holder" {...form.field("holder")} maxLength={100} />
      <TextField label="Bank" {...form.field("bank_name")} maxLength={100} />
      <TextField label="Country" hint="Two letters, such as US." {...form.field("country")} maxLength={2} />
      <TextField
        label="IBAN or account number"
        hint={`Now •••• ${account.last4}.`}
        {...form.field("account_number")}
        autoComplete="off"
        maxLength={60}
      />
    </FormDialog>
  );
}
