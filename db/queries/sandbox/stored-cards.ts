import type { Sql } from "@/db/client";
import type { DeclineCode } from "@/lib/contract/errors";
import type { SandboxBehavior } from "@/lib/contract/sandbox-cards";

type NewSandboxCheck = {
  reference: string;
  account: string;
  customer: string;
  behavior: SandboxBehavior;
  fingerprint: string;
  expMonth: number;
  expYear: number;
  outcome: "approved" | "declined" | "action_required";
  declineCode: DeclineCode | null;
};

type SandboxCheck = Pick<NewSandboxCheck, "reference" | "account" | "customer" | "fingerprint" | "outcome"> & {
  decline_code: DeclineCode | null;
};

/** Records a check once per reference: a duplicate gets the stored result. `fresh`: created by this call. */
export async function insertSandboxCheck(sql: Sql, check: NewSandboxCheck): Promise<SandboxCheck & { fresh: boolean }> {
  const { reference, account, customer } = check;
  const added = await sql`
    insert into sandbox_processor.stored_cards (
      reference, account, customer, behavior, fingerprint, exp_month, exp_year, outcome, decline_code)
    values (${reference}::uuid, ${account}::uuid, ${customer}, ${check.behavior}, ${check.fingerprint}::uuid,
      ${check.expMonth}, ${check.expYear}, ${check.outcome}, ${check.declineCode})
    on conflict (reference) do nothing
    returning reference`;
  const [known] = await sql<SandboxCheck[]>`
    select reference, account, customer, fingerprint, outcome, decline_code from sandbox_processor.stored_cards
    where reference = ${reference}::uuid`.catch((cause: unknown) => {
    // The statement above was executed, so a failure of this one proves nothing.
    throw new Error("the store did not return the state of a check", { cause });
  });
  if (!known) throw new Error(`check ${reference} is neither new nor known`);
  return { ...known, fresh: added.length > 0 };
}

/**
 * Decides a check that required action, once; returns its result, or null if this customer has no such check.
 */
export async function decideSandboxCheck(
  sql: Sql,
  { reference, account, customer, passed }: { reference: string; account: string; customer: string; passed: boolean },
): Promise<SandboxCheck | null> {
  const [decided] = await sql<SandboxCheck[]>`
    update sandbox_processor.stored_cards set
      outcome = case when outcome <> 'action_required' then outcome when ${passed}::boolean then 'approved' else 'declined' end,
      decline_code = case when outcome = 'action_required' and not ${passed}::boolean then 'authentication_failed'
        else decline_code end
    where reference = ${reference}::uuid and account = ${account}::uuid and customer = ${customer}
    returning reference, account, customer, fingerprint, outcome, decline_code`;
  return decided ?? null;
}

type Named = { reference: string; account: string; customer: string };

export type SandboxStoredCard = {
  behavior: SandboxBehavior;
  fingerprint: string;
  exp_month: number;
  exp_year: number;
};

/** A customer's stored card; null if it was removed or never stored. */
export async function findSandboxStoredCard(
  sql: Sql,
  { reference, account, customer }: Named,
): Promise<SandboxStoredCard | null> {
  const [card] = await sql<SandboxStoredCard[]>`
    select behavior, fingerprint, exp_month, exp_year from sandbox_processor.stored_cards
    where reference = ${reference}::uuid and account = ${account}::uuid and customer = ${customer}
      and outcome = 'approved' and removed_at is null`;
  return card ?? null;
}

/** Marks a stored card as removed, so that later charges are refused. */
export async function removeSandboxStoredCard(sql: Sql, { reference, account, customer }: Named): Promise<void> {
  await sql`
    update sandbox_processor.stored_cards set removed_at = now()
    where reference = ${reference}::uuid and account = ${account}::uuid and customer = ${customer}
      and outcome = 'approved' and removed_at is null`;
}
