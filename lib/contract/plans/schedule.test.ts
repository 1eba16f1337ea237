import { expect, test } from "vitest";
import { addPeriods, dateIn, firstYear, type PlanTerms, planSchedule } from "./schedule";

const monthly: PlanTerms = {
  type: "SUBSCRIPTION_NO_TRIAL",
  price: 1_999,
  every: { value: 1, unit: "MONTHS" },
  trial: null,
  trialPrice: null,
};
const dates = (terms: PlanTerms, from: string, count?: number) =>
  planSchedule(terms, from, count).map((charge) => charge.on);

test("a one-time plan is charged once, on the day of purchase", () => {
  const terms: PlanTerms = { ...monthly, type: "ONE_TIME", every: null };
  expect(planSchedule(terms, "2026-11-21")).toEqual([{ on: "2026-11-21", kind: "single", amount: 1_999 }]);
  expect(firstYear(terms, "2026-11-21")).toEqual({ amount: 1_999, charges: 1 });
});

test("a subscription is charged immediately and then every period", () => {
  expect(dates(monthly, "2026-11-21")).toEqual([
    ...["2026-11-21", "2026-12-21", "2027-01-21", "2027-02-21", "2027-03-21", "2027-04-21"],
  ]);
  expect(dates({ ...monthly, every: { value: 2, unit: "WEEKS" } }, "2026-12-20", 3)).toEqual([
    ...["2026-12-20", "2027-01-03", "2027-01-17"],
  ]);
  expect(dates({ ...monthly, every: { value: 10, unit: "DAYS" } }, "2028-02-20", 3)).toEqual([
    ...["2028-02-20", "2028-03-01", "2028-03-11"],
  ]);
});

test("the 31st falls back to the last day of a shorter month, then returns to the 31st", () => {
  expect(dates(monthly, "2027-01-31")).toEqual([
    ...["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31", "2027-06-30"],
  ]);
  expect(dates(monthly, "2028-01-30", 3)).toEqual(["2028-01-30", "2028-02-29", "2028-03-30"]);
  expect(dates({ ...monthly, every: { value: 12, unit: "MONTHS" } }, "2028-02-29", 5)).toEqual([
    ...["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"],
  ]);
});

test("a free trial charges nothing on the first day, and billing periods start when it ends", () => {
  const terms: PlanTerms = { ...monthly, type: "SUBSCRIPTION_FREE_TRIAL", trial: { value: 14, unit: "DAYS" } };
  expect(planSchedule(terms, "2026-11-21", 3)).toEqual([
    { on: "2026-11-21", kind: "free_trial", amount: 0 },
    { on: "2026-12-05", kind: "full", amount: 1_999 },
    { on: "2027-01-05", kind: "full", amount: 1_999 },
  ]);
  expect(firstYear(terms, "2026-11-21")).toEqual({ amount: 12 * 1_999, charges: 12 });
});

test("a paid trial is charged on the first day", () => {
  const terms: PlanTerms = {
    ...monthly,
    type: "SUBSCRIPTION_PAID_TRIAL",
    trial: { value: 1, unit: "MONTHS" },
    trialPrice: 100,
  };
  expect(planSchedule(terms, "2027-01-31", 3)).toEqual([
    { on: "2027-01-31", kind: "paid_trial", amount: 100 },
    { on: "2027-02-28", kind: "full", amount: 1_999 },
    { on: "2027-03-28", kind: "full", amount: 1_999 },
  ]);
  expect(firstYear(terms, "2027-01-31")).toEqual({ amount: 100 + 12 * 1_999, charges: 13 });
});

test("a daily plan has 365 or 366 charges in its first year", () => {
  const daily = { ...monthly, every: { value: 1, unit: "DAYS" } } as const;
  expect(firstYear(daily, "2026-11-21").charges).toBe(365);
  expect(firstYear(daily, "2027-11-21").charges).toBe(366);
  expect(firstYear({ ...monthly, every: { value: 3650, unit: "MONTHS" } }, "2026-11-21").charges).toBe(1);
});

test("periods cross year boundaries, and dates are local to the time zone", () => {
  expect(addPeriods("2026-12-31", { value: 2, unit: "MONTHS" }, 1)).toBe("2027-02-28");
  expect(addPeriods("2026-11-21", { value: 3650, unit: "MONTHS" }, 1)).toBe("2331-01-21");
  const moment = new Date("2026-11-21T23:30:00Z");
  expect(dateIn("Europe/Berlin", moment)).toBe("2026-11-22");
  expect(dateIn("America/New_York", moment)).toBe("2026-11-21");
});
