import type { CheckoutAttempt, CheckoutPage } from "@/lib/contract/checkout/checkout";
import { digitsOf } from "@/lib/contract/payments/words";
import { formatField, isNoPostalCode, isPlainlyWrong, numberShape, problemOf } from "./card-fields";
import type { CardBrandName, CheckoutView, FieldName, FormFields } from "./checkout-view";
import { readExpiry, settleExpiry } from "./expiry";
import type { Edit, Shown } from "./typed-text";

/** The part of the view about the fields. */
type FieldsView = Pick<CheckoutView, "fields" | "errors" | "brand" | "complete">;

export function shownFields(page: CheckoutPage): FieldName[] {
  const requested: FieldName[] = ["number", "expiry", "cvv"];
  if (page.fields.email) requested.unshift("email");
  if (page.fields.name) requested.push("name");
  if (page.fields.postal_code) requested.push("postal_code");
  if (page.consent) requested.push("consent");
  return requested;
}

export const firstFields = (page: CheckoutPage): FormFields => ({
  email: "",
  number: "",
  expiry: "",
  cvv: "",
  name: page.fields.name ? (page.customer_name ?? "") : "",
  postal_code: "",
  consent: "",
});

type VisibleFields = Pick<CheckoutView, "page" | "shown">;

export function fieldsView(
  visible: VisibleFields,
  fields: FormFields,
  errors: CheckoutView["errors"],
  nowMs: number,
): FieldsView {
  const complete = visible.shown.every((field) => !problemIn(visible, field, fields, nowMs));
  return { fields, errors, brand: brandOf(fields), complete };
}

const problemIn = ({ page }: VisibleFields, field: FieldName, fields: FormFields, nowMs: number) =>
  problemOf(field, fields, nowMs, page.fields.postal_code ?? undefined);

/** The view after an edit. The field's error is cleared until blur, unless further typing can't fix it. */
export function editField(
  view: CheckoutView,
  field: FieldName,
  edit: Edit,
  nowMs: number,
): FieldsView & { shownAs: Shown } {
  const shownAs = formatField(field, edit, view.fields);
  const fields = { ...view.fields, [field]: shownAs.value };
  const problem = problemIn(view, field, fields, nowMs);
  const errors = withProblem(view.errors, field, isPlainlyWrong(problem, fields) ? problem : null);
  // Another number may require another code length.
  const cvvAgain = field === "number" && errors.cvv && fields.cvv !== "";
  const all = cvvAgain ? withProblem(errors, "cvv", problemOf("cvv", fields, nowMs)) : errors;
  return { ...fieldsView(view, fields, all, nowMs), shownAs };
}

/** The view after a blur. An empty field is an error only after an attempt to pay. */
export function leaveField(view: CheckoutView, field: FieldName, tried: boolean, nowMs: number): FieldsView {
  const value = field === "expiry" ? settleExpiry(view.fields.expiry) : view.fields[field];
  const fields = { ...view.fields, [field]: value };
  const problem = value.trim() === "" && !tried ? null : problemIn(view, field, fields, nowMs);
  return fieldsView(view, fields, withProblem(view.errors, field, problem), nowMs);
}

export function allProblems(view: CheckoutView, nowMs: number): CheckoutView["errors"] {
  return view.shown.reduce<CheckoutView["errors"]>(
    (errors, field) => withProblem(errors, field, problemIn(view, field, view.fields, nowMs)),
    {},
  );
}

/** Request body of an attempt; the fields must be valid. */
export function attemptBody(view: CheckoutView, attempt: string, nowMs: number): CheckoutAttempt {
  const { fields, shown, page, consent } = view;
  const read = readExpiry(fields.expiry, nowMs);
  if (!("date" in read)) throw new Error("an attempt needs a date");
  const isAnswered = page.fields.postal_code === "required" || !isNoPostalCode(fields.postal_code);
  const hasPostalCode = shown.includes("postal_code") && isAnswered;
  return {
    attempt,
    mode: page.mode,
    locale: view.locale,
    card: {
      number: digitsOf(fields.number),
      exp_month: read.date.month,
      exp_year: read.date.year,
      cvv: fields.cvv,
      ...(shown.includes("name") && { name: fields.name.trim() }),
    },
    ...(shown.includes("email") && { email: fields.email.trim() }),
    ...(hasPostalCode && { postal_code: fields.postal_code.trim() }),
    ...(consent && fields.consent !== "" && { consent: consent[view.locale] }),
  };
}

function brandOf(fields: FormFields): CardBrandName | null {
  return numberShape(digitsOf(fields.number)).brand;
}

function withProblem(
  errors: CheckoutView["errors"],
  field: FieldName,
  problem: ReturnType<typeof problemOf>,
): CheckoutView["errors"] {
  const { [field]: _old, ...others } = errors;
  return problem ? { ...others, [field]: problem } : others;
}
