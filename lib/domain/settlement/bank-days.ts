/**
 * Days on which a payment system moves money: TARGET for euros, Fedwire for US dollars, weekdays for the
 * rest. Both calendars are rules without an end date, published by the ECB and by the Federal Reserve. Days
 * are "2026-11-21".
 */

const DAY_MS = 86_400_000;
const [SUNDAY, MONDAY, THURSDAY, SATURDAY] = [0, 1, 4, 6];

/** The next day on which a payout in this currency can arrive, after `day`. */
export function bankDayAfter(day: string, currency: string): string {
  for (let next = addDays(day, 1); ; next = addDays(next, 1)) if (isBankDay(next, currency)) return next;
}

export function isBankDay(day: string, currency: string): boolean {
  const weekday = weekdayOf(day);
  if (weekday === SATURDAY || weekday === SUNDAY) return false;
  const year = Number(day.slice(0, 4));
  if (currency === "EUR") return !targetHolidays(year).includes(day);
  if (currency === "USD") return !fedwireHolidays(year).includes(day);
  return true;
}

/** Closing days of TARGET since 2002; none moves when it falls on a weekend. */
function targetHolidays(year: number): string[] {
  const easter = easterSunday(year);
  return [
    dayOf(year, 1, 1),
    addDays(easter, -2),
    addDays(easter, 1),
    dayOf(year, 5, 1),
    dayOf(year, 12, 25),
    dayOf(year, 12, 26),
  ];
}

/**
 * Holidays of the Federal Reserve Banks. One on a Sunday is observed on Monday; for one on a Saturday they
 * stay open on Friday.
 */
function fedwireHolidays(year: number): string[] {
  const fixed = [dayOf(year, 1, 1), dayOf(year, 7, 4), dayOf(year, 11, 11), dayOf(year, 12, 25)];
  if (year >= 2021) fixed.push(dayOf(year, 6, 19));
  return [
    ...fixed.map((day) => (weekdayOf(day) === SUNDAY ? addDays(day, 1) : day)),
    nthWeekday(year, 1, MONDAY, 3),
    nthWeekday(year, 2, MONDAY, 3),
    addDays(nthWeekday(year, 6, MONDAY, 1), -7),
    nthWeekday(year, 9, MONDAY, 1),
    nthWeekday(year, 10, MONDAY, 2),
    nthWeekday(year, 11, THURSDAY, 4),
  ];
}

/** The Gregorian computus by Meeus, Jones and Butcher. */
function easterSunday(year: number): string {
  const golden = year % 19;
  const [century, ofCentury] = [Math.floor(year / 100), year % 100];
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30;
  const toSunday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
  const shift = Math.floor((golden + 11 * epact + 22 * toSunday) / 451);
  const days = epact + toSunday - 7 * shift + 114;
  return dayOf(year, Math.floor(days / 31), (days % 31) + 1);
}

function nthWeekday(year: number, month: number, weekday: number, nth: number): string {
  const first = dayOf(year, month, 1);
  return addDays(first, ((weekday - weekdayOf(first) + 7) % 7) + 7 * (nth - 1));
}

const dayOf = (year: number, month: number, day: number) =>
  `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay();
const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
