import { isIP } from "node:net";
import { isLoopbackAddress, isLoopbackHost } from "./loopback";

/** The one place that reads the environment. `.env.example` describes every setting. */
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

function yesOrNo(name: string): boolean {
  const text = string(name);
  if (text === null || text === "true" || text === "false") return text === "true";
  throw new ConfigurationError(`${name} must be true or false, not "${text}".`);
}

/**
 * An address of the service: http or https, with a host, and without anything that would be lost when a path
 * is appended.
 */
function webAddress(name: string): string | null {
  const text = string(name);
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new ConfigurationError(
    `${name} must be an address without a path, such as https://pay.example.com, not "${text}".`,
  );
}

const MODES = ["production", "sandbox"] as const;

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** Stores values found at start-up, for this process and its child processes. */
export function configure(values: Record<string, string>): void {
  Object.assign(process.env, values);
}

/** Settings that are passed to a child process privately, not through its environment. */
const PRIVATE_SETTINGS = [
  "DATABASE_URL",
  "DATABASE_APP_URL",
  "DATABASE_JOBS_URL",
  "CARDLANE_SECRET",
  "CARDLANE_SECRET_PREVIOUS",
];

/** A child process's environment, and the `settings` that it stores by `configure`. */
export function handOver(): { env: NodeJS.ProcessEnv; settings: Record<string, string> } {
  const [env, settings]: [NodeJS.ProcessEnv, Record<string, string>] = [{ ...process.env }, {}];
  for (const name of PRIVATE_SETTINGS) {
    const value = env[name];
    delete env[name];
    if (value !== undefined) settings[name] = value;
  }
  return { env, settings };
}

/** A setting that the service cannot start with. The message is one sentence for the operator. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

export const env = {
  /** The value of CARDLANE_ENV; null if it is not set. */
  get chosenMode() {
    const mode = string("CARDLANE_ENV");
    const found = MODES.find((known) => known === mode);
    if (mode === null || found) return found ?? null;
    throw new ConfigurationError(`CARDLANE_ENV must be production or sandbox, not "${mode}".`);
  },
  /**
   * True if the service may handle real money: no demo, no outbox page, and no secret is printed or
   * generated.
   */
  get isProduction() {
    return this.chosenMode === "production";
  },
  /** True if only this machine should reach the service, by its base URLs and its listening address. */
  get isOneMachine() {
    const addresses = [this.baseUrl, this.sandboxBaseUrl, this.liveBaseUrl].filter((address) => address !== null);
    return addresses.every((address) => isLoopbackHost(new URL(address).host)) && isLoopbackAddress(this.listenAddress);
  },
  /** IP address to listen on. An address other than loopback admits other machines. */
  get listenAddress() {
    const address = string("LISTEN_ADDRESS") ?? "127.0.0.1";
    if (isIP(address) !== 0) return address;
    throw new ConfigurationError(
      `LISTEN_ADDRESS must be an IP address such as 127.0.0.1 or 0.0.0.0, not "${address}".`,
    );
  },
  /**
   * PostgreSQL server to use; without it the embedded one is started, and the start-up sets this to its
   * address.
   */
  get databaseUrl() {
    return string("DATABASE_URL");
  },
  /** Read replicas of DATABASE_URL's server: their hosts, and TLS. */
  get databaseReadUrl() {
    return string("DATABASE_READ_URL");
  },
  /**
   * Users for the roles that serve requests and run jobs. By default, connections of DATABASE_URL use SET
   * ROLE.
   */
  get databaseAppUrl() {
    return string("DATABASE_APP_URL");
  },
  get databaseJobsUrl() {
    return string("DATABASE_JOBS_URL");
  },
  get dataDir() {
    return string("DATA_DIR") ?? ".data";
  },
  get port() {
    return integer("PORT", 3000, 1, 65535);
  },
  /** Total number of the service's connections, which `shareWithPages` divides. */
  get databasePoolSize() {
    return integer("DATABASE_POOL_SIZE", 25, 13, 500);
  },
  /**
   * Key material for everything that is sealed, digested or signed: 32 or more random characters, the same on
   * every instance.
   */
  get secret() {
    return string("CARDLANE_SECRET");
  },
  /** Earlier secrets, one per line, during a rotation. */
  get previousSecrets() {
    return string("CARDLANE_SECRET_PREVIOUS");
  },
  /** File with the secret, and earlier ones on further lines. Created with a new database. */
  get secretFile() {
    return string("CARDLANE_SECRET_FILE");
  },
  /** Folder of this user's settings; null = the system's default. */
  get configFolder() {
    return string(process.platform === "win32" ? "APPDATA" : "XDG_CONFIG_HOME");
  },
  /** Public addresses of the two environments. If set, a host refuses keys of the other environment. */
  get sandboxBaseUrl() {
    return webAddress("SANDBOX_BASE_URL");
  },
  get liveBaseUrl() {
    return webAddress("LIVE_BASE_URL");
  },
  /** Pages are compiled on demand (`npm run dev`). */
  get isDevelopment() {
    return process.env.NODE_ENV === "development";
  },
  /** Address of this service in links; default http://localhost:PORT. */
  get baseUrl() {
    return webAddress("BASE_URL") ?? `http://localhost:${this.port}`;
  },
  /** True if the operator set the service's address. */
  get isAddressSet() {
    return string("PORT") !== null || string("BASE_URL") !== null;
  },
  get rateLimitPerSecond() {
    return integer("RATE_LIMIT_PER_SECOND", 100, 1, 1_000_000);
  },
  get rateLimitBurst() {
    return integer("RATE_LIMIT_BURST", 200, 1, 1_000_000);
  },
  /** Shared limit of all API keys of one merchant and mode. */
  get merchantRateLimitPerSecond() {
    return integer("MERCHANT_RATE_LIMIT_PER_SECOND", Math.min(1_000_000, 5 * this.rateLimitPerSecond), 1, 1_000_000);
  },
  get merchantRateLimitBurst() {
    return integer("MERCHANT_RATE_LIMIT_BURST", Math.min(1_000_000, 5 * this.rateLimitBurst), 1, 1_000_000);
  },
  /**
   * Megabytes per second of responses to all keys, or to all users, of one merchant and mode; the burst is
   * ten times as much.
   */
  get answerMbPerSecond() {
    return integer("ANSWER_MB_PER_SECOND", 5, 1, 1_000_000);
  },
  /** Requests per minute and address that may fail for lack of a valid key or session. */
  get unauthorizedLimitPerMinute() {
    return integer("UNAUTHORIZED_LIMIT_PER_MINUTE", 120, 1, 1_000_000);
  },
  /** Pages per minute and address; the burst is a quarter of it. */
  get pageLimitPerMinute() {
    return integer("PAGE_LIMIT_PER_MINUTE", 1_200, 1, 1_000_000);
  },
  /**
   * Megabytes that a merchant may write in test mode per day without a verified e-mail address, and 100
   * writes per megabyte; 50 times as much with one; 0 = unlimited. Live mode has no quota.
   */
  get sandboxQuotaMbPerDay() {
    return integer("SANDBOX_QUOTA_MB_PER_DAY", this.isOneMachine ? 0 : 20, 0, 1_000_000);
  },
  /** Days until an account that has test data and no verified e-mail address is closed; 0 = never. */
  get unverifiedAccountDays() {
    const days = integer("UNVERIFIED_ACCOUNT_DAYS", this.isOneMachine ? 0 : 30, 0, 3_650);
    if (days === 0 || days >= 30) return days;
    throw new ConfigurationError("UNVERIFIED_ACCOUNT_DAYS must be 0, or 30 or more.");
  },
  /** New accounts per network and day; 0 = unlimited. */
  get signUpsPerDay() {
    return integer("SIGN_UPS_PER_DAY", this.isOneMachine ? 0 : 50, 0, 1_000_000);
  },
  /** Sign-ins, sign-ups and password resets per address and minute, each. */
  get signInLimitPerMinute() {
    return integer("SIGN_IN_LIMIT_PER_MINUTE", 30, 1, 1_000_000);
  },
  /**
   * Declines per address and minute in the payment form. Other limits are derived from it
   * (lib/rate-limits.ts).
   */
  get checkoutLimitPerMinute() {
    return integer("CHECKOUT_LIMIT_PER_MINUTE", 15, 1, 1_000_000);
  },
  /**
   * Server for outgoing mail, `smtp://user:password@host:port` or `smtps://…`; without it `mailOutbox`
   * decides.
   */
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
  /**
   * The outbox page for mail without a server: "yes", "no", or "unset", which enables it only for a sandbox
   * on one machine.
   */
  get mailOutbox() {
    const text = string("MAIL_OUTBOX");
    if (text === null) return "unset";
    if (text === "1" || text === "0") return text === "1" ? "yes" : "no";
    throw new ConfigurationError(`MAIL_OUTBOX must be 1 or 0, not "${text}".`);
  },
  /** Allows webhooks to http and private addresses, for development only. */
  get webhookAllowLocal() {
    return yesOrNo("WEBHOOK_ALLOW_LOCAL");
  },
  /** Timeout of a processor call. An operation's lease is 2 s longer. */
  get processorTimeoutMs() {
    return integer("PROCESSOR_TIMEOUT_MS", 8_000, 100, 60_000);
  },
  /** Key of the connector for live payments of merchants without a connection of their own; null = none. */
  get liveProcessor() {
    return string("LIVE_PROCESSOR");
  },
  /** A credential of the live processor, by the name that its connector uses, such as STRIPE_SECRET_KEY. */
  processorCredential(setting: string) {
    return string(setting);
  },
  /** A host that replaces the live processor's own, such as a simulator's. */
  get liveProcessorEndpoint() {
    return webAddress("LIVE_PROCESSOR_ENDPOINT");
  },
  /** True if the operator's live processor gets card numbers, which also requires PCI_DSS_COMPLIANT. */
  get liveProcessorRawCards() {
    return yesOrNo("LIVE_PROCESSOR_RAW_CARDS");
  },
  /** True if this installation may see card numbers of live payments. */
  get pciDssCompliant() {
    return yesOrNo("PCI_DSS_COMPLIANT");
  },
  /** Seconds that the port stays open after SIGTERM, with readiness at 503, so that load balancers notice. */
  get drainSeconds() {
    return integer("DRAIN_SECONDS", this.isOneMachine ? 0 : 3, 0, 60);
  },
  /** Number of our own proxies in front: that many X-Forwarded-For entries, from the right, are trusted. */
  get trustedProxies() {
    return integer("TRUSTED_PROXIES", 0, 0, 10);
  },
  /** Bearer token of Prometheus for /metrics; without it there is no /metrics. */
  get metricsToken() {
    const token = string("METRICS_TOKEN");
    if (token === null || /^[\x21-\x7e]{16,1000}$/.test(token)) return token;
    throw new ConfigurationError("METRICS_TOKEN must have 16 or more ASCII characters and no spaces.");
  },
  get logLevel() {
    const level = string("LOG_LEVEL") ?? "info";
    if (LOG_LEVELS.includes(level)) return level;
    throw new ConfigurationError(`LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}, not "${level}".`);
  },
  /** Reads every setting once, so that an invalid one is reported by its name. */
  checkValues(): void {
    for (const name of Object.keys(this)) void this[name as keyof typeof this];
  },
  /** Reports invalid settings at start-up, and those that the service lacks. */
  check(): void {
    this.checkValues();
    if (this.isProduction) checkProduction();
    else if (this.chosenMode === null && !this.isOneMachine) throw new ConfigurationError(modeMissing());
  },
};

const MODE_CHOICE = "Set CARDLANE_ENV=production, or CARDLANE_ENV=sandbox for a demonstration without real money.";

function modeMissing(): string {
  const outside = isLoopbackAddress(env.listenAddress)
    ? [env.baseUrl, env.sandboxBaseUrl, env.liveBaseUrl].find((url) => url && !isLoopbackHost(new URL(url).host))
    : `LISTEN_ADDRESS=${env.listenAddress}`;
  return `Other machines can reach ${outside}, so say what this is. ${MODE_CHOICE}`;
}

/** Settings that production requires, each with a sentence that says how to set it. */
function checkProduction(): void {
  const set = (name: string) => string(name) !== null;
  const plain = ["BASE_URL", "SANDBOX_BASE_URL", "LIVE_BASE_URL"].find((name) => /^http:/i.test(string(name) ?? ""));
  const problem =
    (!set("BASE_URL") && "Production needs BASE_URL, the https address that people and merchants reach it at.") ||
    (plain && `Production needs an https address in ${plain}: cards and passwords must travel encrypted.`) ||
    (!set("CARDLANE_SECRET") &&
      !set("CARDLANE_SECRET_FILE") &&
      "Production needs CARDLANE_SECRET, 32 or more random characters, or CARDLANE_SECRET_FILE.") ||
    (!set("SMTP_URL") && "Production needs SMTP_URL: links for accounts and passwords travel by e-mail.") ||
    (env.webhookAllowLocal && "Production sends webhooks to public addresses alone: remove WEBHOOK_ALLOW_LOCAL.") ||
    (env.mailOutbox === "yes" && "Production has no outbox: remove MAIL_OUTBOX, e-mail goes to SMTP_URL.");
  if (problem) throw new ConfigurationError(problem);
}
