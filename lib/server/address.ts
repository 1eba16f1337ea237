import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { isProcessAlive } from "@/db/file-lock";
import { ConfigurationError, env } from "@/lib/env";
import { isLoopbackAddress } from "@/lib/loopback";

const fileOf = (dataDir: string) => join(dataDir, "service.json");

/** Writes the service's address to a file for commands. Returns a function that removes it. */
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

/** True while a service runs on this data folder. */
export function isServiceRunning(): boolean {
  const running = readAddress(fileOf(env.dataDir));
  return running !== null && isProcessAlive(running.pid);
}

/** Local address of this process, without a trailing slash. The public one may be unreachable from here. */
export function ownAddress(): string {
  const { listenAddress, port } = env;
  const everywhere = { "0.0.0.0": "127.0.0.1", "::": "::1" }[listenAddress] ?? listenAddress;
  return `http://${everywhere.includes(":") ? `[${everywhere}]` : everywhere}:${port}`;
}

/** The configured address, or else that of the service running on this data folder. */
export function serviceAddress(): string {
  const running = readAddress(fileOf(env.dataDir));
  return env.isAddressSet || !running || !isProcessAlive(running.pid) ? env.baseUrl : running.base_url;
}

/** Listens on one address: loopback unless the operator configures another. */
export async function listen(server: Server, port: number, address: string): Promise<void> {
  const error = await failureToListen(server, port, address);
  if (error) throw explain(error, port, address);
}

function failureToListen(server: Server, port: number, address: string): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    server.once("error", resolve);
    server.listen(port, address, () => {
      server.off("error", resolve);
      resolve(null);
    });
  });
}

/**
 * Fails early if the port is in use, also on ::1: many browsers try it before 127.0.0.1 for `localhost`, and
 * would show another program. Other errors on ::1 are ignored, as the machine may have no IPv6.
 */
export async function checkPort(port: number, address: string): Promise<void> {
  const addresses = isLoopbackAddress(address) ? new Set([address, "::1"]) : [address];
  for (const one of addresses) {
    const server = createServer();
    const error = await failureToListen(server, port, one);
    if (error && (one === address || error.code === "EADDRINUSE")) throw explain(error, port, one);
    if (!error) await new Promise((resolve) => server.close(resolve));
  }
}

function explain(error: NodeJS.ErrnoException, port: number, address: string): Error {
  if (error.code === "EADDRINUSE") {
    return new ConfigurationError(`Port ${port} is already in use: stop what uses it, or choose another with PORT.`);
  }
  if (error.code === "EACCES") {
    return new ConfigurationError(`This user may not listen on port ${port}: choose one above 1023 with PORT.`);
  }
  if (error.code === "EADDRNOTAVAIL") {
    return new ConfigurationError(`LISTEN_ADDRESS=${address} is not an address of this machine.`);
  }
  return error;
}
