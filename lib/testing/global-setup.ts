import type { TestProject } from "vitest/node";
import { startTestCluster } from "./cluster";

declare module "vitest" {
  export interface ProvidedContext {
    adminUrl: string;
    template: string;
  }
}

/** One cluster per run; `testDatabase` copies its migrated template. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startTestCluster();
  project.provide("adminUrl", cluster.adminUrl);
  project.provide("template", cluster.template);
  return () => cluster.stop();
}
