/** The one place that reads the environment. Every setting is described in `.env.example`. */
function integer(name: string, fallback: number, min: number, max: number): number {
  const text = process.env[name];
  if (text === undefined || text === "") return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new ConfigurationError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
  }
  return value;
}

function string(name: string): string | null {
  return process.env[name] || null;
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** What the start-up has found out, for all that runs in this process and below it. */
export function configure(values: Record<string, string>): void {
  Object.assign(process.env, values);
}

/** A setting that the service cannot start with; its message is one sentence for the person who set it. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

export const env = {
  /** PostgreSQL to use; without it the embedded one is started. The start-up sets it to the embedded one's address. */
  get databaseUrl() {
    return string("DATABASE_URL");
  },
  get dataDir() {
    return string("DATA_DIR") ?? ".data";
  },
  get port() {
    return integer("PORT", 3000, 1, 65535);
  },
  /** Connections of this process in all, shared out by `shareConnections`; on 2 cores more than 20 make it slower. */
  get databasePoolSize() {
    return integer("DATABASE_POOL_SIZE", 20, 6, 500);
  },
  /** Keys everything that is sealed, digested or signed: 32 or more random characters, the same on every instance. */
  get secret() {
    return string("CARDLANE_SECRET");
  },
  /** An earlier secret, or several on lines of their own, while the service moves to a new one. */
  get previousSecrets() {
    return string("CARDLANE_SECRET_PREVIOUS");
  },
  /** File that holds the secret instead, with earlier ones on further lines; made when the database is new. */
  get secretFile() {
    return string("CARDLANE_SECRET_FILE");
  },
  /** Where this user's settings are; null = the system's default. */
  get configFolder() {
    return string(process.platform === "win32" ? "APPDATA" : "XDG_CONFIG_HOME");
  },
  /** Public addresses of the two environments; when set, a key of the other environment is refused on that host. */
  get sandboxBaseUrl() {
    return string("SANDBOX_BASE_URL");
  },
  get liveBaseUrl() {
    return string("LIVE_BASE_URL");
  },
  /** Address of this service in links; default http://localhost:PORT. */
  get baseUrl() {
    return string("BASE_URL") ?? `http://localhost:${this.port}`;
  },
  /** Whether somebody chose where the service answers. */
  get isAddressSet() {
    return string("PORT") !== null || string("BASE_URL") !== null;
  },
  get rateLimitPerSecond() {
    return integer("RATE_LIMIT_PER_SECOND", 100, 1, 1_000_000);
  },
  get rateLimitBurst() {
    return integer("RATE_LIMIT_BURST", 200, 1, 1_000_000);
  },
  /** Sign-ins, sign-ups and forgotten passwords that one address may try in a minute, each. */
  get signInLimitPerMinute() {
    return integer("SIGN_IN_LIMIT_PER_MINUTE", 30, 1, 1_000_000);
  },
  /** Declines that one address may have in a minute in the payment form; other limits follow from it (checkout-limits.ts). */
  get checkoutLimitPerMinute() {
    return integer("CHECKOUT_LIMIT_PER_MINUTE", 15, 1, 1_000_000);
  },
  /** Server for outgoing mail, `smtp://user:password@host:port` or `smtps://…`; without it mail waits in the outbox. */
  get smtpUrl() {
    const url = string("SMTP_URL");
    if (url !== null && !/^smtps?:\/\/[^/]/.test(url)) {
      throw new ConfigurationError("SMTP_URL must begin with smtp:// or smtps:// and name a host.");
    }
    return url;
  },
  /** Sender of outgoing mail. */
  get mailFrom() {
    return string("MAIL_FROM") ?? "Cardlane <no-reply@localhost>";
  },
  /** How long a processor call may take; the lease of an operation is 2 s longer. */
  get processorTimeoutMs() {
    return integer("PROCESSOR_TIMEOUT_MS", 8_000, 100, 60_000);
  },
  /** How many proxies in front of us are ours: that many X-Forwarded-For entries, from the right, are believed. */
  get trustedProxies() {
    return integer("TRUSTED_PROXIES", 0, 0, 10);
  },
  get logLevel() {
    const level = string("LOG_LEVEL") ?? "info";
    if (LOG_LEVELS.includes(level)) return level;
    throw new ConfigurationError(`LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}, not "${level}".`);
  },
  /** Reads every setting once, so that a wrong one is found at the start. */
  check(): void {
    for (const name of Object.keys(this)) if (name !== "check") void this[name as keyof typeof this];
  },
};
