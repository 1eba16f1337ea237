"use client";

import { type Control, useWatch } from "react-hook-form";
import { type PlanFormValues, termsTyped } from "@/lib/client/plan-form";
import type { CreatePlanBody } from "@/lib/contract/plan";
import { PlanPreview } from "./plan-preview";

type TypedPreviewProps = { control: Control<PlanFormValues, unknown, CreatePlanBody>; today: string };

/** The preview of what stands in the form, keystroke by keystroke. */
export function TypedPreview({ control, today }: TypedPreviewProps) {
  const values = useWatch({ control }) as PlanFormValues;
  return <PlanPreview terms={termsTyped(values)} currency={values.currency} today={today} />;
}
