import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { delimiter, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pickPort } from "@/db/embedded-cluster";

/**
 * The proxies of docs/production.md with the guide's own files, in which only ports and folders are changed.
 */
export type ProxyName = "nginx" | "caddy";
export type RunningProxy = {
  /** Ports on 127.0.0.1. */
  readonly tls: number;
  readonly plain: number;
  /** Folder for the proxy's files, including its logs. */
  readonly folder: string;
  output(): string;
  stop(): Promise<void>;
};

/** The host name in the guide's files. */
export const NAME = "pay.example.com";

const PATH = `${process.env.PATH}${delimiter}/usr/sbin`;
const isInstalled = (program: string) => PATH.split(delimiter).some((folder) => existsSync(join(folder, program)));

export function installedProxies(): { found: ProxyName[]; missing: string[] } {
  const all: ProxyName[] = ["nginx", "caddy"];
  if (!isInstalled("openssl")) return { found: [], missing: [...all, "openssl"] };
  return { found: all.filter(isInstalled), missing: all.filter((name) => !isInstalled(name)) };
}

/** `certificate.folder` contains `fullchain.pem` and `privkey.pem`, and receives the proxy's folder. */
type ProxyOptions = { certificate: { folder: string }; servicePort: number };
type Ports = { tls: number; plain: number; service: number };

/** Starts a proxy and waits until it responds. */
export async function startProxy(name: ProxyName, { certificate, servicePort }: ProxyOptions): Promise<RunningProxy> {
  const folder = mkdtempSync(join(certificate.folder, `${name}-`));
  const ports: Ports = { tls: await pickPort(), plain: await pickPort(), service: servicePort };
  const args = name === "nginx" ? nginx(folder, ports, certificate.folder) : caddy(folder, ports, certificate.folder);
  const env = { ...process.env, PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(name, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  const end = () => void child.kill("SIGKILL");
  process.once("exit", end);
  const chunks: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  const output = () => Buffer.concat(chunks).toString("utf8");
  // The event "exit" can precede the last output.
  const ended = once(child, "close");
  let isStopped = false;
  async function stop() {
    if (isStopped) return;
    isStopped = true;
    process.off("exit", end);
    // Both finish open requests after these signals, and so log them.
    child.kill(name === "nginx" ? "SIGQUIT" : "SIGTERM");
    await ended;
  }
  await answers(ports.plain, () => child.exitCode !== null).catch(async (error: Error) => {
    await stop();
    throw new Error(`${name} did not start: ${error.message}\n${output()}`);
  });
  return { tls: ports.tls, plain: ports.plain, folder, output, stop };
}

async function answers(port: number, hasEnded: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline && !hasEnded()) {
    const options = { host: "127.0.0.1", port, headers: { host: NAME } };
    const isUp = await read(httpRequest(options)).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await wait(25);
  }
  throw new Error(hasEnded() ? "it ended" : "it never answered");
}

function nginx(folder: string, ports: Ports, certificates: string): string[] {
  const site = readFileSync("docs/production/nginx.conf", "utf8")
    .replace(/^ *listen \[::\].*\n/gm, "")
    .replaceAll("listen 443", `listen 127.0.0.1:${ports.tls}`)
    .replaceAll("listen 80", `listen 127.0.0.1:${ports.plain}`)
    .replaceAll("/etc/ssl/cardlane", certificates)
    .replaceAll("/var/log/nginx", folder)
    .replaceAll("127.0.0.1:3000", `127.0.0.1:${ports.service}`);
  writeFileSync(join(folder, "site.conf"), site);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; pid ${folder}/pid; error_log stderr warn; worker_processes 1;
     ${process.getuid?.() === 0 ? "user root;" : ""} events {}
     http { ${temporary.join(" ")} include ${folder}/site.conf; }`,
  );
  return ["-p", folder, "-c", join(folder, "nginx.conf")];
}

function caddy(folder: string, ports: Ports, certificates: string): string[] {
  const own = `{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\thttp_port ${ports.plain}\n\thttps_port ${ports.tls}`;
  const tls = `tls ${certificates}/fullchain.pem ${certificates}/privkey.pem`;
  const site = readFileSync("docs/production/Caddyfile", "utf8")
    .replace(/^\{$/m, own)
    .replace(/^pay\.example\.com \{$/m, `${NAME} {\n\t${tls}`)
    .replaceAll("127.0.0.1:3000", `127.0.0.1:${ports.service}`);
  writeFileSync(join(folder, "Caddyfile"), site);
  return ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")];
}

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string };

/** Sends a prepared request and reads the whole response. */
export function read(request: ReturnType<typeof httpRequest>, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.once("error", reject);
    request.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    request.end(body);
  });
}
