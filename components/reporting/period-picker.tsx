"use client";

import { CalendarDays } from "lucide-react";
import { useRouter } from "next/navigation";
import { type FormEvent, useState, useTransition } from "react";
import { Button } from "@/components/ui/button";
import { Field, Input } from "@/components/ui/field";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/floating";
import { cn } from "@/components/ui/styles";
import type { DayRange } from "@/lib/contract/reporting/overview";
import { PERIODS, type Period, type PeriodName } from "@/lib/contract/reporting/period";
import type { Mode } from "@/lib/contract/transactions/words";
import { LinkGroup } from "./link-group";
import { overviewHref } from "./overview-text";

type PeriodPickerProps = {
  mode: Mode;
  period: Period;
  /** Days of the chosen period. */
  range: DayRange;
  firstDay: string;
  today: string;
  timeZone: string;
  /** Currency in the address; null if absent. */
  currency: string | null;
};

const NAMES = Object.keys(PERIODS) as PeriodName[];

/** Selects the overview's days. Each choice is a link, so Back and Reload keep it. */
export function PeriodPicker({ mode, period, range, firstDay, today, timeZone, currency }: PeriodPickerProps) {
  const router = useRouter();
  const [pending, startTransition] = useTransition();
  const [open, setOpen] = useState(false);
  const isCustom = typeof period !== "string";
  const go = (next: Period) =>
    startTransition(() => router.push(overviewHref(mode, next, currency), { scroll: false }));
  return (
    <div
      className="flex min-w-0 items-center gap-2 max-md:max-w-[calc(100vw-3rem)] max-sm:max-w-[calc(100vw-2rem)]"
      aria-busy={pending || undefined}
    >
      <LinkGroup
        label="Period"
        links={NAMES.map((name) => ({
          href: overviewHref(mode, name, currency),
          text: PERIODS[name],
          current: period === name,
        }))}
      />
      <Popover open={open} onOpenChange={setOpen}>
        <PopoverTrigger asChild>
          <Button
            variant="secondary"
            pending={pending}
            icon={<CalendarDays aria-hidden="true" />}
            className={cn("shrink-0", isCustom && "bg-raised")}
          >
            Custom
          </Button>
        </PopoverTrigger>
        <PopoverContent label="Custom period" align="end" className="w-72">
          <CustomPeriod
            range={range}
            firstDay={firstDay}
            today={today}
            timeZone={timeZone}
            onApply={(next) => {
              setOpen(false);
              go(next);
            }}
          />
        </PopoverContent>
      </Popover>
    </div>
  );
}

type CustomPeriodProps = Pick<PeriodPickerProps, "range" | "firstDay" | "today" | "timeZone"> & {
  onApply: (range: DayRange) => void;
};

function CustomPeriod({ range, firstDay, today, timeZone, onApply }: CustomPeriodProps) {
  const [from, setFrom] = useState(range.from);
  const [to, setTo] = useState(range.to);
  const [error, setError] = useState<string>();
  function apply(event: FormEvent) {
    event.preventDefault();
    if (from === "" || to === "") setError("Choose both days.");
    else if (from > to) setError("The first day is after the last.");
    else onApply({ from, to });
  }
  return (
    <form onSubmit={apply} noValidate className="flex flex-col gap-3">
      <div className="grid grid-cols-2 gap-2">
        <Field label="First day">
          {(props) => (
            <Input
              {...props}
              type="date"
              value={from}
              min={firstDay}
              max={today}
              onChange={(event) => setFrom(event.target.value)}
            />
          )}
        </Field>
        <Field label="Last day">
          {(props) => (
            <Input
              {...props}
              type="date"
              value={to}
              min={firstDay}
              max={today}
              onChange={(event) => setTo(event.target.value)}
            />
          )}
        </Field>
      </div>
      {error && (
        <p role="alert" className="text-red text-xs">
          {error}
        </p>
      )}
      <div className="flex items-center justify-between gap-2">
        <p className="text-soft text-xs">Days in {timeZone}</p>
        <Button type="submit" variant="primary" size="sm">
          Apply
        </Button>
      </div>
    </form>
  );
}
