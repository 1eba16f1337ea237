import { expect, test } from "vitest";
import { planOf } from "./run";
import { report, shrink } from "./shrink";
import type { Plan } from "./world";

/** A world that fails when two clients meet and a response is lost, in two orders out of five. */
async function run(plan: Plan) {
  const meet = ["first", "second"].every((name) => !plan.without.includes(name));
  const breaks = meet && plan.faults.includes("drop") && plan.faultBudget >= 2 && plan.variation % 3 === 0;
  const length = 10 * (5 - plan.without.length) + plan.faultBudget;
  return {
    plan,
    violations: breaks ? ["money is gone"] : [],
    actors: ["first", "second", "third", "fourth"],
    trace: Array.from({ length }, (_, i) => `line ${i}`),
  };
}

test("a failing run is shrunk to the clients and faults that it needs", async () => {
  const failing = await run(planOf(7));
  const { plan, violations } = await shrink(failing, run);
  expect(violations).toEqual(["money is gone"]);
  expect(plan).toMatchObject({ seed: 7, faults: ["drop"], faultBudget: 2, without: ["third", "fourth"] });
});

test("the report names the fault and the command that repeats it", async () => {
  const failing = await run(planOf(7));
  const text = report(failing, await shrink(failing, run));
  expect(text).toContain("money is gone");
  expect(text).toContain("npm run prove:simulation -- --seed 7\n");
  expect(text).toContain("without third, fourth");
});
