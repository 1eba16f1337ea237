import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isProcessAlive } from "@/db/file-lock";
import { env } from "@/lib/env";

const fileOf = (dataDir: string) => join(dataDir, "service.json");

/** Leaves the running service's address where commands find it. Returns how to take it back. */
export function publishAddress(): () => void {
  const file = fileOf(env.dataDir);
  writeFileSync(file, JSON.stringify({ pid: process.pid, base_url: env.baseUrl }), { mode: 0o600 });
  return () => {
    if (readAddress(file)?.pid === process.pid) rmSync(file, { force: true });
  };
}

function readAddress(file: string): { pid: number; base_url: string } | null {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

/** Whether a service on this data folder runs now. */
export function isServiceRunning(): boolean {
  const running = readAddress(fileOf(env.dataDir));
  return running !== null && isProcessAlive(running.pid);
}

/**
 * Where this process finds itself: the public address may lead over a proxy that this machine cannot reach. No slash at the end.
 */
export function ownAddress(): string {
  const { listenAddress, port } = env;
  const everywhere = { "0.0.0.0": "127.0.0.1", "::": "::1" }[listenAddress] ?? listenAddress;
  return `http://${everywhere.includes(":") ? `[${everywhere}]` : everywhere}:${port}`;
}

/** Where the service answers: as configured here, else where the one on this data folder runs now. */
export function serviceAddress(): string {
  const running = readAddress(fileOf(env.dataDir));
  return env.isAddressSet || !running || !isProcessAlive(running.pid) ? env.baseUrl : running.base_url;
}
