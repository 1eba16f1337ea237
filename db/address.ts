import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { ConfigurationError } from "@/lib/env";

/** One server of DATABASE_URL: a TCP port, or the path of a Unix socket. */
export type Host =
  | { readonly host: string; readonly port: number; readonly label: string }
  | { readonly path: string; readonly label: string };

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;

/** Like in libpq, `require` encrypts but accepts any certificate; `verify-ca` and `verify-full` check it. */
type SslMode = (typeof SSL_MODES)[number];

export type Tls = {
  /** null = not set: TLS if the server offers it, and none for this machine. */
  readonly mode: SslMode | null;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
};

/** Connection parameters from DATABASE_URL, parsed as libpq parses it. */
export type Address = {
  readonly hosts: readonly Host[];
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: Tls;
  /** PostgreSQL settings from the URL, set on every connection. */
  readonly settings: Readonly<Record<string, string>>;
};

/** libpq parameters that this service sets itself or does not use. */
const IGNORED = new Set([
  ...["application_name", "connect_timeout", "client_encoding", "channel_binding", "gssencmode", "sslcompression"],
  ...["keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout", "pgbouncer"],
]);

const FORM = "it looks like postgres://user:password@host:5432/database";

/**
 * Parses a connection URL: several hosts, IPv6, Unix sockets and TLS included. Throws a one-sentence
 * ConfigurationError.
 */
export function parseAddress(url: string, setting = "DATABASE_URL"): Address {
  try {
    return readAddress(url);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(error.message.replace("DATABASE_URL", setting), { cause: error });
  }
}

/** Errors name DATABASE_URL; the caller replaces that with its setting. */
function readAddress(url: string): Address {
  const parts = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(url);
  if (!parts) throw new ConfigurationError(`DATABASE_URL is not a PostgreSQL address: ${FORM}.`);
  const [, credentials = "", authority = "", path = "", query = ""] = parts;
  const given = new Map(new URLSearchParams(query.replaceAll("+", "%2B")));
  const take = (name: string) => {
    const value = given.get(name);
    given.delete(name);
    return value;
  };
  const [name = "", ...rest] = credentials.split(":");
  const user = take("user") ?? (decode(name) || userInfo().username);
  const password = take("password") ?? decode(rest.join(":"));
  const database = take("dbname") ?? (decode(path) || user);
  const hosts = hostsOf(take("host") ?? authority, take("port") ?? "");
  const tls = tlsOf(take("sslmode"), take("sslrootcert"), take("sslcert"), take("sslkey"));
  const target = take("target_session_attrs");
  // Whatever the URL has, only a server that takes writes will do: of several hosts it is the one connected
  // to.
  if (target !== undefined && !["any", "read-write", "primary"].includes(target)) {
    throw new ConfigurationError(
      `Cardlane writes, so target_session_attrs in DATABASE_URL must be read-write or primary, not "${target}".`,
    );
  }
  for (const ignored of IGNORED) given.delete(ignored);
  for (const setting of given.keys()) {
    if (!/^[a-z_]+(\.[a-z_]+)?$/i.test(setting)) {
      throw new ConfigurationError(`DATABASE_URL has a parameter of a strange name, "${setting}": remove it.`);
    }
  }
  return { hosts, user, password, database, tls, settings: Object.fromEntries(given) };
}

/** All hosts of an address, without user and password. */
export const labelOf = (address: Address): string => address.hosts.map((host) => host.label).join(" or ");

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConfigurationError(
      "DATABASE_URL has a percent sign that encodes nothing: write %25 for the sign itself.",
    );
  }
}

/**
 * `h1:5432,h2`, `[::1]:5432`, `/run/postgresql`, `%2Frun%2Fpostgresql`; `ports` is one for all hosts, or one
 * for each.
 */
function hostsOf(list: string, ports: string): Host[] {
  const entries = list === "" ? ["localhost"] : list.split(",");
  const defaults = ports === "" ? [] : ports.split(",");
  if (defaults.length > 1 && defaults.length !== entries.length) {
    throw new ConfigurationError("DATABASE_URL names another number of ports than of hosts.");
  }
  return entries.map((entry, index) => hostOf(entry, defaults[index] ?? defaults[0] ?? "5432"));
}

function hostOf(entry: string, defaultPort: string): Host {
  const text = decode(entry);
  if (text.startsWith("/") || text.startsWith("@")) {
    const directory = text.replace(/:\d+$/, "");
    const port = portOf(text.length > directory.length ? text.slice(directory.length + 1) : defaultPort);
    return { path: `${directory}/.s.PGSQL.${port}`, label: directory };
  }
  const parts = /^(?:\[([^\]]+)\]|([^:[\]]*))(?::(\d*))?$/.exec(text) ?? (isAddress6(text) ? [text, text] : null);
  if (!parts) throw new ConfigurationError(`DATABASE_URL has a host that is none, "${text}": ${FORM}.`);
  const host = parts[1] ?? parts[2] ?? "";
  const port = portOf(parts[3] || defaultPort);
  return {
    host: host || "localhost",
    port,
    label: `${host.includes(":") ? `[${host}]` : host || "localhost"}:${port}`,
  };
}

const isAddress6 = (text: string) => /^[\da-f:.%]+$/i.test(text) && text.includes(":");

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new ConfigurationError(`DATABASE_URL has a port that is none, "${text}".`);
}

function tlsOf(mode: string | undefined, root?: string, cert?: string, key?: string): Tls {
  if (mode !== undefined && !SSL_MODES.includes(mode as SslMode)) {
    throw new ConfigurationError(`sslmode in DATABASE_URL must be one of ${SSL_MODES.join(", ")}, not "${mode}".`);
  }
  const read = (name: string, path: string) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      throw new ConfigurationError(`DATABASE_URL names a file for ${name} that cannot be read: ${path}.`);
    }
  };
  return {
    mode: (mode as SslMode | undefined) ?? (root === "system" ? "verify-full" : null),
    ...(root && root !== "system" && { ca: read("sslrootcert", root) }),
    ...(cert && { cert: read("sslcert", cert) }),
    ...(key && { key: read("sslkey", key) }),
  };
}
