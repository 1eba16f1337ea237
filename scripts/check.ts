import { CHECKS, runQuietly, vitest } from "./steps";

/** `npm run check`: everything that takes seconds. */
const steps = [...CHECKS, { title: "Unit tests (Vitest)", args: vitest("--project", "unit") }];
// Two at a time: as many as a small machine has cores.
let next = 0;
let failed = 0;
async function work(): Promise<void> {
  for (let step = steps[next++]; step; step = steps[next++]) {
    if (!(await runQuietly(step))) failed++;
  }
}
await Promise.all([work(), work()]);
process.exitCode = failed === 0 ? 0 : 1;
