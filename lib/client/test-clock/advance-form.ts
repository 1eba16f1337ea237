import { instantIn, localTime } from "@/lib/client/checkout/link-form";
import { addDays } from "@/lib/contract/reporting/period";
import type { ClockPresets } from "@/lib/contract/test-clock/presets";

export type AdvanceValues = {
  step: "day" | "week" | "month" | "renewal" | "trial" | "date";
  /** Local time in the business's zone, in the format of `datetime-local`. */
  at: string;
};

/** Initial values; the date is a month ahead. */
export const advanceValues = (nowMs: number, timeZone: string): AdvanceValues => ({
  step: "day",
  at: later(localTime(new Date(nowMs).toISOString(), timeZone), "month"),
});

/** No preset is known yet. */
export const NO_PRESETS: ClockPresets = { renewal: null, trial: null };

/**
 * The time to advance to, and the date field's error. Steps keep the wall-clock time of day. `to` is null for
 * a preset that is not known.
 */
export function readAdvance(
  { step, at }: AdvanceValues,
  nowMs: number,
  timeZone: string,
  presets = NO_PRESETS,
): { to: string | null; errors: { at?: string } } {
  if (step === "renewal" || step === "trial") return { to: presets[step], errors: {} };
  const local = step === "date" ? at : later(localTime(new Date(nowMs).toISOString(), timeZone), step);
  const to = instantIn(timeZone, local);
  if (to === null) return { to, errors: { at: "Enter a date and a time." } };
  if (Date.parse(to) <= nowMs) return { to: null, errors: { at: "The clock only goes forward. Choose a later time." } };
  return { to, errors: {} };
}

function later(local: string, step: "day" | "week" | "month"): string {
  const [day = "", time = ""] = local.split("T");
  if (step !== "month") return `${addDays(day, step === "day" ? 1 : 7)}T${time}`;
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return `${new Date(Date.UTC(year, month, Math.min(date, last))).toISOString().slice(0, 10)}T${time}`;
}
