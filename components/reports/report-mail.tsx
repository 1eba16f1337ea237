"use client";

import { useState } from "react";
import { Field, Select } from "@/components/ui/field";
import { toast } from "@/components/ui/toast";
import { callApi, failureText } from "@/lib/client/api";
import { REPORT_WORDS, type ReportInterval, type ReportType } from "@/lib/contract/reports/report-types";
import type { Mode } from "@/lib/contract/transactions/words";

type ReportMailProps = { mode: Mode; type: ReportType; email: string; every: ReportInterval | null };

const CHOICES = [
  ["", "Never"],
  ["WEEK", "Each week"],
  ["MONTH", "Each month"],
] as const;

const DONE = { WEEK: "E-mailed each week from now on", MONTH: "E-mailed each month from now on" };

/** Lets users choose how often they get the report by mail, and saves the choice immediately. */
export function ReportMail({ mode, type, email, every: saved }: ReportMailProps) {
  const [every, setEvery] = useState(saved);
  const [isPending, setIsPending] = useState(false);

  async function choose(next: ReportInterval | null) {
    setEvery(next);
    setIsPending(true);
    try {
      await callApi("POST /api/dashboard/{mode}/report-mails", { params: { mode }, body: { type, every: next } });
      toast.success(next === null ? "No longer e-mailed" : DONE[next], { description: REPORT_WORDS[type].label });
    } catch (error) {
      setEvery(every);
      toast.error("This was not saved", { description: failureText(error) });
    } finally {
      setIsPending(false);
    }
  }

  return (
    <Field
      label="By e-mail"
      hint={`Totals and a link for ${email}, on the day after a week (Monday to Sunday) or month ends.`}
      className="mb-4 max-w-2xl"
    >
      {(control) => (
        <Select
          {...control}
          className="w-40"
          value={every ?? ""}
          disabled={isPending}
          onChange={({ target }) => void choose((target.value || null) as ReportInterval | null)}
        >
          {CHOICES.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
