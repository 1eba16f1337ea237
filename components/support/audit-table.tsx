import Form from "next/form";
import Link from "next/link";
import { EmptyState } from "@/components/ui/empty-state";
import { Field, Input, Select } from "@/components/ui/field";
import { buttonStyles } from "@/components/ui/styles";
import { Time } from "@/components/ui/time";
import {
  ACTS_PER_PAGE,
  STAFF_ACTS,
  type StaffActFilter,
  type StaffActPage,
  type StaffActView,
  staffActWords,
} from "@/lib/contract/support/staff-acts";
import { ActObject, ActWords } from "./act-list";
import { SubmitButton } from "./buttons";

type AuditTableProps = { page: StaffActPage; filter: StaffActFilter };

/** A page of staff actions, newest first. */
export function AuditTable({ page: { acts, next }, filter }: AuditTableProps) {
  if (acts.length === 0) {
    return (
      <EmptyState
        kind="no-results"
        what="entries"
        actions={
          <Link href="/support/audit" prefetch={false} className={buttonStyles()}>
            Show everything
          </Link>
        }
      />
    );
  }
  return (
    <>
      <ul className="divide-y rounded-lg border" aria-label="What support staff did, newest first">
        {acts.map((act) => (
          <Row key={act.id} act={act} />
        ))}
      </ul>
      <div className="mt-3 flex flex-wrap items-center justify-between gap-3 text-[13px] text-soft">
        <p>
          {filter.before ? "Older entries" : "Newest first"}, {ACTS_PER_PAGE} per page.
        </p>
        <div className="flex gap-2">
          {filter.before && (
            <Link href={hrefOf(filter, null)} prefetch={false} className={buttonStyles({ size: "sm" })}>
              Newest
            </Link>
          )}
          {next && (
            <Link href={hrefOf(filter, next)} prefetch={false} className={buttonStyles({ size: "sm" })}>
              Older
            </Link>
          )}
        </div>
      </div>
    </>
  );
}

function Row({ act }: { act: StaffActView }) {
  return (
    <li className="grid gap-x-6 gap-y-0.5 px-4 py-2.5 text-[13px] md:grid-cols-[10rem_minmax(0,1fr)_minmax(0,1fr)_minmax(0,1fr)]">
      <Time at={act.at} className="text-soft" />
      <p className="min-w-0 [overflow-wrap:anywhere]">{act.staff.email}</p>
      <div className="min-w-0">
        <p className="font-medium">{staffActWords(act.action)}</p>
        <ActWords act={act} />
      </div>
      <div className="min-w-0">
        {act.merchant && (
          <Link
            href={`/support/merchants/${act.merchant.id}`}
            prefetch={false}
            className="block truncate text-accent leading-6 hover:underline"
          >
            {act.merchant.name}
          </Link>
        )}
        <ActObject act={act} />
      </div>
    </li>
  );
}

function hrefOf(filter: AuditTableProps["filter"], before: string | null): string {
  const { staff, merchant, action } = filter;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ staff, merchant, action, before })) if (value) query.set(name, value);
  return `/support/audit?${query}`;
}

type AuditFiltersProps = {
  filter: { staff: string | undefined; merchant: string | undefined; action: string | undefined };
  staff: readonly { id: string; email: string }[];
};

export function AuditFilters({ filter, staff }: AuditFiltersProps) {
  const filtered = filter.staff ?? filter.merchant ?? filter.action;
  return (
    <search>
      <Form
        action="/support/audit"
        prefetch={false}
        className="mb-4 grid items-end gap-3 sm:grid-cols-[1fr_1fr_1fr_auto]"
      >
        <Field label="Staff">
          {(props) => (
            <Select {...props} name="staff" defaultValue={filter.staff ?? ""}>
              <option value="">All staff</option>
              {staff.map(({ id, email }) => (
                <option key={id} value={id}>
                  {email}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Merchant’s id">
          {(props) => (
            <Input
              {...props}
              name="merchant"
              defaultValue={filter.merchant ?? ""}
              placeholder="mer_…"
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
            />
          )}
        </Field>
        <Field label="What">
          {(props) => (
            <Select {...props} name="action" defaultValue={filter.action ?? ""}>
              <option value="">Everything</option>
              {Object.entries(STAFF_ACTS).map(([action, words]) => (
                <option key={action} value={action}>
                  {words}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <div className="flex gap-2">
          <SubmitButton>Filter</SubmitButton>
          {filtered && (
            <Link href="/support/audit" prefetch={false} className={buttonStyles({ variant: "ghost" })}>
              Clear
            </Link>
          )}
        </div>
      </Form>
    </search>
  );
}
