import Form from "next/form";
import { FilterLinks } from "@/components/settlement/settlement-tabs";
import { Button } from "@/components/ui/button";
import { Field, Input } from "@/components/ui/field";
import { TabLinks } from "@/components/ui/page-links";
import { REPORT_PRESETS, type ReportQuery, reportHref } from "@/lib/contract/reports/report-query";
import { REPORT_TYPES, REPORT_WORDS } from "@/lib/contract/reports/report-types";
import { DATE_PRESETS } from "@/lib/contract/transactions/time-range";
import type { Mode } from "@/lib/contract/transactions/words";

type ReportControlsProps = {
  mode: Mode;
  query: ReportQuery;
  /** Days of the chosen range. */
  days: { from: string; to: string };
  currencies: readonly string[];
};

/** Type, days and currency. Each choice is an address, so it can be shared and Back works. */
export function ReportControls({ mode, query, days, currencies }: ReportControlsProps) {
  const path = `/${mode}/reports`;
  const { type, created, currency } = query;
  const current = "preset" in created ? created.preset : null;
  return (
    <>
      <TabLinks
        label="Report"
        tabs={REPORT_TYPES.map((each) => ({
          label: REPORT_WORDS[each].label,
          href: reportHref(path, { ...query, type: each }),
          current: each === type,
        }))}
      />
      <div className="mb-4 flex flex-wrap items-end gap-x-6 gap-y-3">
        <div className="min-w-0">
          <FilterLinks
            label="Days"
            links={REPORT_PRESETS.map((preset) => ({
              label: DATE_PRESETS[preset],
              href: reportHref(path, { ...query, created: { preset } }),
              current: preset === current,
            }))}
          />
          {currencies.length > 1 && (
            <FilterLinks
              label="Currency"
              links={[null, ...currencies].map((code) => ({
                label: code ?? "All",
                href: reportHref(path, { ...query, currency: code }),
                current: code === currency,
              }))}
            />
          )}
        </div>
        <Form
          key={`${days.from} ${days.to}`}
          action={path}
          scroll={false}
          className="mb-3 flex flex-wrap items-end gap-2"
        >
          {type !== REPORT_TYPES[0] && <input type="hidden" name="type" value={type} />}
          {currency !== null && <input type="hidden" name="currency" value={currency} />}
          <Field label="First day">
            {(control) => <Input {...control} type="date" name="from" required defaultValue={days.from} />}
          </Field>
          <Field label="Last day">
            {(control) => <Input {...control} type="date" name="to" required defaultValue={days.to} />}
          </Field>
          <Button type="submit">Show</Button>
        </Form>
      </div>
    </>
  );
}
