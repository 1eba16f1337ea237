import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { OwnServer } from "@/e2e/fixtures/own-server";
import { startTcpProxy } from "@/e2e/fixtures/tcp-proxy";
import { connect, connectSql } from "./client";
import { openDatabase } from "./open-database";

const OPENSSL = ["/usr/bin/openssl", "/opt/homebrew/bin/openssl"].find((path) => existsSync(path));
/** Catches only hangs: a busy machine takes many times the usual seconds. */
const LIMIT_MS = 60_000;
let server: OwnServer;

beforeAll(async () => {
  server = await OwnServer.create();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.stop();
  server.remove();
});

const open = (target: string) => {
  vi.stubEnv("DATABASE_URL", target);
  return openDatabase();
};

async function isEncrypted(target: string): Promise<boolean> {
  const sql = connectSql(target, { max: 1 });
  try {
    const [row] = await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
    return row?.ssl;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

describe("a server that listens only on a Unix socket", () => {
  beforeAll(async () => {
    await server.restart({ listen_addresses: "" });
  });

  test.each([
    ["as a parameter", () => `postgres://${server.credentials}@/postgres?host=${server.folder}&port=${server.port}`],
    [
      "as a host",
      () => `postgres://${server.credentials}@${encodeURIComponent(server.folder)}:${server.port}/postgres`,
    ],
  ])("is used by every pool, its folder given %s", async (_, address) => {
    await expect(open(address())).resolves.toMatchObject({ embedded: false });
    const own = connect(address(), { max: 2 });
    expect(await own.sql.begin((tx) => tx`select inet_server_addr() as address`)).toEqual([{ address: null }]);
    expect([...(await own.orm.execute("select 1 as one"))]).toEqual([{ one: 1 }]);
    await own.close();
  });
});

describe.skipIf(OPENSSL === undefined)("a server that requires TLS (skipped without openssl)", () => {
  const file = (name: string) => join(server.folder, name);
  /** URL of the server over TCP; its certificate is for `localhost`. */
  const by = (host: string, query: string) =>
    `postgres://${server.credentials}@${host}:${server.port}/postgres${query}`;

  beforeAll(async () => {
    makeCertificates();
    server.rules("local all all trust", "hostssl all all 127.0.0.1/32 scram-sha-256");
    await server.restart({ ssl: "on", ssl_cert_file: file("server.pem"), ssl_key_file: file("server.key") });
  });

  test.each([
    ["nothing is said", "", "wants TLS: add sslmode=require to DATABASE_URL."],
    ["TLS is turned off", "?sslmode=disable", "wants TLS: add sslmode=require to DATABASE_URL."],
    ["no known authority signed the certificate", "?sslmode=verify-full", "its certificate is not accepted"],
  ])("reports in one sentence when %s", async (_, query, sentence) => {
    await expect(open(by("localhost", query))).rejects.toThrow(sentence);
  });

  test("and has a certificate for another name reports that, too", async () => {
    const query = `?sslmode=verify-full&sslrootcert=${file("ca.pem")}`;
    await expect(open(by("127.0.0.1", query))).rejects.toThrow("its certificate is not accepted");
    expect(await isEncrypted(by("127.0.0.1", query.replace("full", "ca")))).toBe(true);
  });

  test.each(["prefer", "require", "verify-full&sslrootcert=ca.pem"])("is entered with sslmode=%s", async (mode) => {
    const target = by("localhost", `?sslmode=${mode.replace("ca.pem", file("ca.pem"))}`);
    await expect(open(target)).resolves.toMatchObject({ embedded: false });
    expect(await isEncrypted(target)).toBe(true);
  });

  test("and a client certificate gets it, and reports if it does not", async () => {
    server.rules("local all all trust", "hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-full");
    await server.restart({ ...server.settings, ssl_ca_file: file("ca.pem") });
    const query = `?sslmode=verify-full&sslrootcert=${file("ca.pem")}`;
    await expect(open(by("localhost", query))).rejects.toThrow("wants a certificate of ours: name it with sslcert");
    const own = `&sslcert=${file("client.pem")}&sslkey=${file("client.key")}`;
    expect(await isEncrypted(by("localhost", query + own))).toBe(true);
  });

  /** A test authority, and the certificates it signs for the server and the client. */
  function makeCertificates(): void {
    const openssl = (...args: string[]) => execFileSync(OPENSSL as string, args, { stdio: "pipe", cwd: server.folder });
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    openssl(
      ...["req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Tests"],
      ...["-addext", "basicConstraints=critical,CA:TRUE"],
    );
    const user = server.credentials.split(":")[0];
    for (const [name, subject] of [["server", "localhost"] as const, ["client", user] as const]) {
      writeFileSync(file(`${name}.ext`), `subjectAltName=DNS:${subject}\n`);
      openssl("req", ...key, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${subject}`);
      openssl(
        ...["x509", "-req", "-in", `${name}.csr`, "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"],
        ...["-out", `${name}.pem`, "-days", "2", "-extfile", `${name}.ext`],
      );
    }
  }
});

test("a former primary that is back is refused, also by pools that have no connection yet", async () => {
  const [old, promoted] = await OwnServer.pair("cardlane");
  const proxy = await startTcpProxy(old.url("cardlane"));
  const { host } = new URL(proxy.url);
  const both = connect(`postgres://${old.credentials}@${host},127.0.0.1:${promoted.port}/cardlane`, { max: 2 });
  try {
    const portOf = async () => (await both.sql`select inet_server_port() as port`)[0]?.port;
    expect(await portOf()).toBe(old.port);
    const admin = promoted.sql("cardlane");
    await admin`select pg_promote()`;
    await admin.end();
    await proxy.refuse();
    await vi.waitFor(async () => expect(await portOf()).toBe(promoted.port), { timeout: LIMIT_MS, interval: 50 });
    await proxy.accept();
    const [row] = await both.orm.execute<{ port: number }>("select inet_server_port() as port");
    expect(row?.port).toBe(promoted.port);
    expect(await portOf()).toBe(promoted.port);
  } finally {
    await both.close();
    await proxy.close();
    for (const one of [old, promoted]) {
      await one.stop();
      one.remove();
    }
  }
});

test("an old primary whose commits wait for the standby that took over is left within seconds", async () => {
  const settings = { synchronous_standby_names: "standby" };
  const [old, promoted] = await OwnServer.pair("cardlane", { replication: settings });
  const both = connect(`postgres://${old.credentials}@127.0.0.1:${old.port},127.0.0.1:${promoted.port}/cardlane`, {
    max: 2,
  });
  try {
    await both.sql`create table written (port int not null)`;
    const admin = promoted.sql("cardlane");
    await admin`select pg_promote()`;
    const startedMs = performance.now();
    // The old primary goes on serving reads.
    const reads = setInterval(() => void both.orm.execute("select 1").catch(() => {}), 200);
    onTestFinished(() => clearInterval(reads));
    const write = () => both.sql`insert into written values (inet_server_port())`;
    // Both connections of the pool; neither gets a result, and no other could be opened beside them.
    const outcomes = await Promise.allSettled([write(), write()]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await write();
    expect(performance.now() - startedMs).toBeLessThan(6_500);
    expect([...(await admin`select port from written`)]).toEqual([{ port: promoted.port }]);
    await admin.end();
  } finally {
    await both.close();
    for (const one of [old, promoted]) {
      await one.stop("SIGKILL");
      one.remove();
    }
  }
});

test("a server of another cluster is not taken for a new primary, whatever its timeline", async () => {
  const logged = { log_connections: "on", log_disconnections: "on" };
  const [stopped, other] = await OwnServer.pair("cardlane", { standby: logged });
  await stopped.stop();
  const admin = other.sql("postgres");
  await admin`select pg_promote()`;
  await admin.end();
  const used = await OwnServer.create();
  used.rules("local all all trust", "host all all 127.0.0.1/32 trust");
  await used.start();
  const both = connect(`postgres://${other.credentials}@127.0.0.1:${used.port},127.0.0.1:${other.port}/postgres`, {
    max: 2,
    parameters: { statement_timeout: "60s" },
  });
  const holder = used.sql("postgres");
  try {
    await holder`select pg_advisory_lock(1)`;
    // It takes long enough for the pool to look for a new primary at the other host.
    const waiting = both.sql`select inet_server_port() as port, pg_advisory_lock(1)`;
    waiting.catch(() => {});
    const looked = /disconnection: .*host=127\.0\.0\.1/;
    await vi.waitFor(() => expect(other.output()).toMatch(looked), { timeout: LIMIT_MS, interval: 50 });
    await holder`select pg_advisory_unlock(1)`;
    expect((await waiting)[0]?.port).toBe(used.port);
    expect((await both.sql`select inet_server_port() as port`)[0]?.port).toBe(used.port);
  } finally {
    await holder.end({ timeout: 0 });
    await both.close();
    for (const one of [stopped, other, used]) {
      await one.stop("SIGKILL");
      one.remove();
    }
  }
});

test("a new cluster on an earlier timeline is used at the same address once the former one is gone", async () => {
  const [old, former] = await OwnServer.pair("cardlane");
  await old.stop();
  const admin = former.sql("postgres");
  await admin`select pg_promote()`;
  await admin.end();
  const next = await OwnServer.create();
  next.rules("local all all trust", "host all all 127.0.0.1/32 trust");
  await next.start();
  const created = next.sql("postgres");
  await created`create database cardlane`;
  await created.end();
  const proxy = await startTcpProxy(former.url("cardlane"));
  const { host, port } = new URL(proxy.url);
  const db = connect(`postgres://${former.credentials}@${host}/cardlane`, { max: 2 });
  const portOf = async () => (await db.sql`select inet_server_port() as port`)[0]?.port;
  try {
    expect(await portOf()).toBe(former.port);
    await proxy.refuse();
    const other = await startTcpProxy(next.url("cardlane"), Number(port));
    await vi.waitFor(async () => expect(await portOf()).toBe(next.port), { timeout: LIMIT_MS, interval: 50 });
    await other.close();
  } finally {
    await db.close();
    for (const one of [old, former, next]) {
      await one.stop("SIGKILL");
      one.remove();
    }
  }
});
