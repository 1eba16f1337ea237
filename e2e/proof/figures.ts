import { TestRunner } from "vitest";

/**
 * Records a proof's figure, such as "20 kills, 312 keys", for the line of `npm run prove`. The last
 * figure of a test counts; `details` are only printed.
 */
export function reportFigure(figure: string, details?: string): void {
  const test = TestRunner.getCurrentTest();
  if (!test) throw new Error("A figure belongs to a running test.");
  test.meta.figure = figure;
  process.stdout.write(`  ${figure}${details === undefined ? "" : `; ${details}`}\n`);
}

declare module "vitest" {
  interface TaskMeta {
    figure?: string;
  }
}
