import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { startEmbedded } from "@/db/embedded";
import { migrate } from "@/db/migrate";

declare module "vitest" {
  export interface ProvidedContext {
    adminUrl: string;
    template: string;
  }
}

/** One cluster per run of Vitest; `testDatabase` copies its migrated template. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startTestCluster();
  project.provide("adminUrl", cluster.adminUrl);
  project.provide("template", cluster.template);
  return () => cluster.stop();
}

/** A PostgreSQL for one test run, with a migrated database that every test copies. */
export type TestCluster = {
  /** Of a database that nobody works in: for CREATE DATABASE. */
  readonly adminUrl: string;
  readonly template: string;
  stop(): Promise<void>;
};

/** Starts an embedded PostgreSQL that does not wait for the disk, or uses the server of TEST_DATABASE_URL. */
export async function startTestCluster(): Promise<TestCluster> {
  const given = process.env.TEST_DATABASE_URL;
  const { adminUrl, stop } = given ? { adminUrl: given, stop: async () => {} } : await startThrowawayCluster();
  const template = `template_${randomUUID().replaceAll("-", "").slice(0, 12)}`;
  try {
    await createDatabase(adminUrl, template);
    await migrate(urlOf(adminUrl, template));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    adminUrl,
    template,
    async stop() {
      if (given) await dropDatabase(adminUrl, template);
      await stop();
    },
  };
}

async function startThrowawayCluster() {
  const parent = process.env.DATA_DIR ?? tmpdir();
  mkdirSync(parent, { recursive: true });
  const dataDir = mkdtempSync(join(parent, "cardlane-test-"));
  const cluster = await startEmbedded({ dataDir, fsync: false });
  return {
    adminUrl: cluster.url,
    async stop() {
      await cluster.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The same server and user, another database. */
function urlOf(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

export async function createDatabase(adminUrl: string, name: string, template = "template0"): Promise<string> {
  await asAdmin(adminUrl, `create database "${name}" template "${template}"`);
  return urlOf(adminUrl, name);
}

export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await asAdmin(adminUrl, `drop database if exists "${name}" with (force)`);
}

async function asAdmin(adminUrl: string, statement: string): Promise<void> {
  const sql = postgres(adminUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}
