import Form from "next/form";
import Link from "next/link";
import { buttonStyles } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { STAFF_ACTS } from "@/lib/contract/support/staff-acts";
import { SubmitButton } from "./submit-button";

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
              <option value="">Everybody</option>
              {staff.map(({ id, email }) => (
                <option key={id} value={id}>
                  {email}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Merchant's id">
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
