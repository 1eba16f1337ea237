"use client";

import { useRouter } from "next/navigation";
import { type ComponentProps, useMemo } from "react";
import { AmountError } from "@/components/ui/amount-error";
import { Checkbox } from "@/components/ui/checkbox";
import { Field, Input, Select } from "@/components/ui/field";
import { Form, TextareaField, TextField } from "@/components/ui/form";
import { useHydrated } from "@/components/ui/hooks";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useForm } from "@/lib/client/use-form";
import type { MailRoute } from "@/lib/contract/accounts/fields";
import { CHECKOUT_LOCALES, type CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { LANGUAGE_NAMES } from "@/lib/contract/checkout/localized";
import { MAX_TAX_NAME, taxProblems } from "@/lib/contract/invoices/tax";
import type { Mode } from "@/lib/contract/transactions/words";
import { readTypedAmount } from "@/lib/contract/typed-amount";
import { SaveButton } from "./account-form";

type Business = {
  name: string;
  website: string;
  support_email: string;
  business_address: string;
  tax_number: string;
  time_zone: string;
};

export function BusinessForm(saved: Business) {
  const router = useRouter();
  const form = useForm(saved);
  const { values, changed, field } = form;
  const { error, ...zone } = field("time_zone");

  async function save() {
    const body = Object.fromEntries(changed.map((name) => [name, values[name]]));
    await callApi("PATCH /api/dashboard/business", { body });
    form.keep();
    toast.success("Saved");
    router.refresh();
  }

  return (
    <Form form={form} onSubmit={save} guarded>
      <TextField label="Business name" {...field("name")} autoComplete="organization" maxLength={100} />
      <TextField label="Website" optional {...field("website")} type="url" autoComplete="url" placeholder="https://" />
      <TextField
        label="Support e-mail"
        optional
        hint="Where customers can reach you."
        {...field("support_email")}
        type="email"
        autoComplete="email"
      />
      <TextareaField
        label="Business address"
        optional
        hint="Printed on receipts and invoices, as many countries require."
        {...field("business_address")}
        autoComplete="street-address"
        maxLength={300}
      />
      <TextField
        label="Tax number"
        optional
        hint="Your VAT or other tax number, printed on receipts and invoices."
        {...field("tax_number")}
        autoComplete="off"
        maxLength={30}
      />
      <Field
        label="Time zone"
        hint="Used for days in filters, charts and exports, and to show times. If you change it, daily figures are recalculated."
        error={error}
      >
        {(props) => <TimeZoneSelect {...props} {...zone} />}
      </Field>
      <SaveButton pending={form.pending} disabled={!form.dirty} />
    </Form>
  );
}

/** Daily refund total above which step-up authentication is required, in US dollars. */
export function RefundLimitForm({ limit }: { limit: number }) {
  const router = useRouter();
  const form = useForm({ refund_limit_usd: String(limit) }, { check: checkLimit });
  const { error, ...field } = form.field("refund_limit_usd");

  async function save() {
    const refund_limit_usd = (readTypedAmount(form.values.refund_limit_usd, "USD").minor ?? 0) / 100;
    await callApi("PATCH /api/dashboard/business/refund-limit", { body: { refund_limit_usd } });
    form.keep({ refund_limit_usd: String(refund_limit_usd) });
    toast.success("Saved");
    router.refresh();
  }

  return (
    <Form form={form} onSubmit={save} guarded>
      <Field
        label="Confirm refunds over"
        error={
          error && (
            <AmountError
              {...readTypedAmount(field.value, "USD")}
              message={error}
              onChoose={(value) => form.set({ refund_limit_usd: value })}
            />
          )
        }
        hint="Members who refund more than this per day in the dashboard must confirm with an authentication code or their password. All currencies count together, at fixed rates that are slightly cautious. Enter 0 to confirm every refund. API keys are exempt."
      >
        {(props) => (
          <span className="flex items-center gap-2">
            <Input
              {...props}
              {...field}
              inputMode="decimal"
              autoComplete="off"
              maxLength={12}
              className="max-w-40 tabular-nums"
            />
            <span className="text-[13px] text-soft">US dollars</span>
          </span>
        )}
      </Field>
      <SaveButton pending={form.pending} disabled={!form.dirty}>
        Save limit
      </SaveButton>
    </Form>
  );
}

/** Accepts whole dollars, with or without separators. */
function checkLimit({ refund_limit_usd: typed }: { refund_limit_usd: string }): { refund_limit_usd?: string } {
  const read = readTypedAmount(typed, "USD");
  if (read.minor === null) return { refund_limit_usd: read.message };
  return read.minor % 100 === 0 ? {} : { refund_limit_usd: "Enter whole dollars." };
}

/** Explains which customer mail is delivered in test mode. */
export const TEST_MAIL: Record<MailRoute, string> = {
  sent: "In test mode, only your team’s confirmed addresses receive e-mail.",
  outbox: "No mail server is set up: all e-mail stays in the outbox at /outbox.",
  console: "No mail server is set up: all e-mail stays in the service’s console.",
};

type ReceiptsFormProps = { on_capture: boolean; on_refund: boolean; mail: MailRoute };

/** Selects the receipts that are mailed automatically. */
export function ReceiptsForm({ mail, ...saved }: ReceiptsFormProps) {
  const router = useRouter();
  const form = useForm({ on_capture: saved.on_capture, on_refund: saved.on_refund });
  const { values } = form;

  async function save() {
    await callApi("PATCH /api/dashboard/business/receipts", { body: values });
    form.keep();
    toast.success("Saved");
    router.refresh();
  }

  return (
    <Form form={form} onSubmit={save} guarded>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 text-[13px] text-soft">From now on, e-mail customers a receipt when:</legend>
        <Checkbox
          name="on_capture"
          checked={values.on_capture}
          onChange={({ target }) => form.set({ on_capture: target.checked })}
          label="A payment is captured"
          description="Sent to the customer’s e-mail address, if the payment has one. Subscriptions have a setting of their own."
        />
        <Checkbox
          name="on_refund"
          checked={values.on_refund}
          onChange={({ target }) => form.set({ on_refund: target.checked })}
          label="A payment is refunded"
          description="One per refund, with the amount returned."
        />
      </fieldset>
      <p className="text-soft text-xs">Replies go to your support e-mail. {TEST_MAIL[mail]}</p>
      <SaveButton pending={form.pending} disabled={!form.dirty}>
        Save receipts
      </SaveButton>
    </Form>
  );
}

type DocumentsFormProps = { mode: Mode; tax_name: string; tax_percentage: string; locale: CheckoutLocale };

/** The tax that prices include, and the language of documents for customers who used no payment form. */
export function DocumentsForm({ mode, ...saved }: DocumentsFormProps) {
  const router = useRouter();
  const form = useForm(saved, { check: checkTax });
  const { field } = form;
  const { error, ...locale } = field("locale");

  async function save() {
    const { data } = await callApi("PATCH /api/dashboard/{mode}/documents", { params: { mode }, body: form.values });
    form.keep(data);
    toast.success("Saved");
    router.refresh();
  }

  return (
    <Form form={form} onSubmit={save} guarded>
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] gap-3">
        <TextField
          label="Tax name"
          optional
          {...field("tax_name")}
          placeholder="VAT"
          autoComplete="off"
          maxLength={MAX_TAX_NAME}
        />
        <TextField
          label="Rate, percent"
          optional
          {...field("tax_percentage")}
          placeholder="19"
          inputMode="decimal"
          autoComplete="off"
          maxLength={8}
        />
      </div>
      <p className="text-soft text-xs">
        Your prices include the tax: receipts, invoices and credit notes show the net amount and the tax. One rate for
        everything you sell in {mode} mode. A change applies to documents issued from now on. Leave both empty to show
        no tax.
      </p>
      <Field
        label="Default language"
        hint="Documents and their e-mails are in the language of the payment form that the customer used. Payments without a form, such as those through the API, use this one."
        error={error}
      >
        {(props) => (
          <Select {...props} {...locale}>
            {CHECKOUT_LOCALES.map((one) => (
              <option key={one} value={one}>
                {LANGUAGE_NAMES[one]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <SaveButton pending={form.pending} disabled={!form.dirty}>
        Save tax and language
      </SaveButton>
    </Form>
  );
}

const checkTax = ({ tax_name, tax_percentage }: { tax_name: string; tax_percentage: string }) =>
  Object.fromEntries(taxProblems(tax_name, tax_percentage).map(({ param, message }) => [param, message]));

/** All time zones that the browser supports, by region. Before hydration, only the selected one. */
function TimeZoneSelect({ value, ...rest }: ComponentProps<"select"> & { value: string }) {
  const hydrated = useHydrated();
  const groups = useMemo(() => (hydrated ? zonesByRegion(value) : new Map([["", [value]]])), [hydrated, value]);
  return (
    <Select {...rest} value={value}>
      {[...groups].map(([region, zones]) =>
        region === "" ? (
          zones.map((zone) => <Zone key={zone} zone={zone} />)
        ) : (
          <optgroup key={region} label={region}>
            {zones.map((zone) => (
              <Zone key={zone} zone={zone} />
            ))}
          </optgroup>
        ),
      )}
    </Select>
  );
}

function Zone({ zone }: { zone: string }) {
  return <option value={zone}>{zone.replaceAll("_", " ")}</option>;
}

/** Region → its zones; zones without a region, such as UTC, are under "". */
function zonesByRegion(chosen: string): Map<string, string[]> {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set(["UTC", own, chosen, ...Intl.supportedValuesOf("timeZone")])].toSorted();
  const groups = new Map<string, string[]>([["", []]]);
  for (const zone of zones) {
    const region = zone.includes("/") ? zone.slice(0, zone.indexOf("/")) : "";
    groups.set(region, [...(groups.get(region) ?? []), zone]);
  }
  return groups;
}
