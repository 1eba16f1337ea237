import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { isProcessAlive } from "@/db/file-lock";
import { ConfigurationError, env } from "@/lib/env";
import { isLoopbackAddress } from "@/lib/loopback";

/** A file per process: several may run on one data folder. */
const ADDRESS_FILE = /^service-\d+\.json$/;

/** Writes the service's address to a file for commands. Returns a function that removes it. */
export function publishAddress(): () => void {
  for (const { file, pid } of publishedAddresses()) if (!isProcessAlive(pid)) rmSync(file, { force: true });
  const file = join(env.dataDir, `service-${process.pid}.json`);
  writeFileSync(file, JSON.stringify({ pid: process.pid, base_url: env.baseUrl }), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

type PublishedAddress = { readonly file: string; readonly pid: number; readonly base_url: string };

/** Includes the addresses of killed processes. */
function publishedAddresses(): PublishedAddress[] {
  const names = existsSync(env.dataDir) ? readdirSync(env.dataDir).filter((name) => ADDRESS_FILE.test(name)) : [];
  return names.flatMap((name) => {
    const file = join(env.dataDir, name);
    const found = readAddress(file);
    return found ? [{ file, ...found }] : [];
  });
}

function readAddress(file: string): { pid: number; base_url: string } | null {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

const findRunning = () => publishedAddresses().find(({ pid }) => isProcessAlive(pid));

/** True while a service runs on this data folder. */
export const isServiceRunning = (): boolean => findRunning() !== undefined;

/** Local address of this process, without a trailing slash. The public one may be unreachable from here. */
export function ownAddress(): string {
  const { listenAddress, port } = env;
  const everywhere = { "0.0.0.0": "127.0.0.1", "::": "::1" }[listenAddress] ?? listenAddress;
  return `http://${everywhere.includes(":") ? `[${everywhere}]` : everywhere}:${port}`;
}

/** The configured address, or else that of a service running on this data folder. */
export const serviceAddress = (): string => (env.isAddressSet ? env.baseUrl : (findRunning()?.base_url ?? env.baseUrl));

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
