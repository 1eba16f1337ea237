import { currencyDigits, MINOR_UNITS } from "@/lib/contract/currencies";
import { dayText, fullTimeText, moneyText, wordLabel } from "@/lib/contract/format";
import { type AmountFilter, type FilterRows, type UsedFilter, usedIn } from "@/lib/contract/lists/filters";
import { DATE_PRESETS, isDay, type TimeRange } from "@/lib/contract/transactions/time-range";

/** An active filter as text. */
export type FilterChip = { name: string; label: string; title?: string };

/** Values of a text filter with their labels, where the user chooses instead of typing. */
export type FilterOptions = Readonly<Record<string, readonly { value: string; label: string }[]>>;

/** The active filters as text. Days are in `timeZone`. */
export function filterChips(
  rows: FilterRows,
  filters: object,
  timeZone: string,
  options: FilterOptions = {},
): FilterChip[] {
  return usedIn(rows, filters).map((used) => ({ name: used.name, ...chipOf(used, timeZone, options) }));
}

function chipOf(used: UsedFilter, timeZone: string, options: FilterOptions): Omit<FilterChip, "name"> {
  const { label } = used.row;
  switch (used.kind) {
    case "words":
      return { label: `${label}: ${listed(used.value.map((word) => used.row.labels?.[word] ?? wordLabel(word)))}` };
    case "amount":
      return { label: `${label}: ${amountLabel(used.value)}` };
    case "times":
      return { label: `${label}: ${timesLabel(used.value)}`, title: `Days in ${timeZone}` };
    case "text": {
      const text = options[used.name]?.find(({ value }) => value === used.value)?.label ?? used.value;
      return { label: `${label}${used.row.digits ? "" : ":"} ${text}` };
    }
    default:
      return used satisfies never;
  }
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function amountLabel({ gte, lte, unit }: AmountFilter): string {
  const size = unit === MINOR_UNITS ? 1 : 10 ** currencyDigits(unit);
  const text = (minor: number) => (unit === MINOR_UNITS ? `${minor} minor units` : moneyText(minor, unit));
  if (gte !== null && lte !== null) return gte === lte ? text(gte) : `${text(gte)} to ${text(lte)}`;
  // The search box reads `> 50` as 50.01 or more.
  const end = (minor: number, next: number, beyond: string, within: string) =>
    size > 1 && next % size === 0 ? beyond + text(next) : within + text(minor);
  return gte === null ? end(lte ?? 0, (lte ?? 0) + 1, "under ", "at most ") : end(gte, gte - 1, "over ", "at least ");
}

function timesLabel(times: TimeRange): string {
  if ("preset" in times) return DATE_PRESETS[times.preset].toLowerCase();
  const { from, to } = times;
  if (from !== null && from === to) return momentLabel(from);
  if (from !== null && to !== null) return `${momentLabel(from)} to ${momentLabel(to)}`;
  if (from === null) return `until ${momentLabel(to ?? "")}`;
  return isDay(from) ? `since ${momentLabel(from)}` : `after ${momentLabel(from)}`;
}

/** Formats a day as text, and an instant in UTC. */
function momentLabel(moment: string): string {
  return isDay(moment) ? dayText(moment) : fullTimeText(new Date(moment), "UTC");
}
