import { CHECKS, runInPairs, vitest } from "./steps";

/** `npm run check`: everything that takes seconds. */
const { failed } = await runInPairs([...CHECKS, { title: "Unit tests (Vitest)", args: vitest("--project", "unit") }]);
process.exitCode = failed === 0 ? 0 : 1;
