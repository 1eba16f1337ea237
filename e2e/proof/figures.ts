import { TestRunner } from "vitest";

/**
 * Records what a proof counted, such as "20 kills, 3,412 requests". `npm run prove` prints it beside the proof's time; the last
 * one of a test counts.
 */
export function reportFigure(figure: string): void {
  const test = TestRunner.getCurrentTest();
  if (!test) throw new Error("A figure belongs to a running test.");
  test.meta.figure = figure;
  process.stdout.write(`  ${figure}\n`);
}

declare module "vitest" {
  interface TaskMeta {
    figure?: string;
  }
}
