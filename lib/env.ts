import { isIP } from "node:net";
import { isLoopbackAddress, isLoopbackHost } from "./loopback";

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

function yesOrNo(name: string): boolean {
  const text = string(name);
  if (text === null || text === "true" || text === "false") return text === "true";
  throw new ConfigurationError(`${name} must be true or false, not "${text}".`);
}

/** An address of the service: http or https, a host, and nothing that would get lost when paths are added. */
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

/** What the start-up has found out, for all that runs in this process and below it. */
export function configure(values: Record<string, string>): void {
  Object.assign(process.env, values);
}

/** What a process that belongs to this one need not have where others can look, but is told. */
const TOLD = ["DATABASE_URL", "DATABASE_APP_URL", "DATABASE_JOBS_URL", "CARDLANE_SECRET", "CARDLANE_SECRET_PREVIOUS"];

/** For a process that belongs to this one: its environment, and `settings` that it takes by `configure`. */
export function handOver(): { env: NodeJS.ProcessEnv; settings: Record<string, string> } {
  const [env, settings]: [NodeJS.ProcessEnv, Record<string, string>] = [{ ...process.env }, {}];
  for (const name of TOLD) {
    const value = env[name];
    delete env[name];
    if (value !== undefined) settings[name] = value;
  }
  return { env, settings };
}

/** A setting that the service cannot start with; its message is one sentence for the operator. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

export const env = {
  /** The value of CARDLANE_ENV; null while it is not set. */
  get chosenMode() {
    const mode = string("CARDLANE_ENV");
    const found = MODES.find((known) => known === mode);
    if (mode === null || found) return found ?? null;
    throw new ConfigurationError(`CARDLANE_ENV must be production or sandbox, not "${mode}".`);
  },
  /** Whether real money may come: then there is no demo, no outbox page, and nothing secret is printed or made up. */
  get isProduction() {
    return this.chosenMode === "production";
  },
  /** Whether only this machine is meant to reach the service, by its address and by where it listens. */
  get isOneMachine() {
    const addresses = [this.baseUrl, this.sandboxBaseUrl, this.liveBaseUrl].filter((address) => address !== null);
    return addresses.every((address) => isLoopbackHost(new URL(address).host)) && isLoopbackAddress(this.listenAddress);
  },
  /** IP address that the service listens on. Another than this machine's own lets other machines in. */
  get listenAddress() {
    const address = string("LISTEN_ADDRESS") ?? "127.0.0.1";
    if (isIP(address) !== 0) return address;
    throw new ConfigurationError(
      `LISTEN_ADDRESS must be an IP address such as 127.0.0.1 or 0.0.0.0, not "${address}".`,
    );
  },
  /** PostgreSQL to use; without it the embedded one is started. The start-up sets it to the embedded one's address. */
  get databaseUrl() {
    return string("DATABASE_URL");
  },
  /** Users for the roles that serve requests and do jobs; without them the user of DATABASE_URL takes the roles on. */
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
  /** Connections of this service in all, shared out by `shareWithPages`. */
  get databasePoolSize() {
    return integer("DATABASE_POOL_SIZE", 25, 13, 500);
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
    return webAddress("SANDBOX_BASE_URL");
  },
  get liveBaseUrl() {
    return webAddress("LIVE_BASE_URL");
  },
  /** Pages are compiled as they are opened (`npm run dev`). */
  get isDevelopment() {
    return process.env.NODE_ENV === "development";
  },
  /** Address of this service in links; default http://localhost:PORT. */
  get baseUrl() {
    return webAddress("BASE_URL") ?? `http://localhost:${this.port}`;
  },
  /** Whether the operator chose where the service answers. */
  get isAddressSet() {
    return string("PORT") !== null || string("BASE_URL") !== null;
  },
  get rateLimitPerSecond() {
    return integer("RATE_LIMIT_PER_SECOND", 100, 1, 1_000_000);
  },
  get rateLimitBurst() {
    return integer("RATE_LIMIT_BURST", 200, 1, 1_000_000);
  },
  /** Limit of all API keys of one merchant and mode together. */
  get merchantRateLimitPerSecond() {
    return integer("MERCHANT_RATE_LIMIT_PER_SECOND", Math.min(1_000_000, 5 * this.rateLimitPerSecond), 1, 1_000_000);
  },
  get merchantRateLimitBurst() {
    return integer("MERCHANT_RATE_LIMIT_BURST", Math.min(1_000_000, 5 * this.rateLimitBurst), 1, 1_000_000);
  },
  /** Megabytes that all keys, or all users, of one merchant and mode may be answered a second, ten times as many at once. */
  get answerMbPerSecond() {
    return integer("ANSWER_MB_PER_SECOND", 5, 1, 1_000_000);
  },
  /** Requests of one address in a minute that may fail for want of a key or session that works. */
  get unauthorizedLimitPerMinute() {
    return integer("UNAUTHORIZED_LIMIT_PER_MINUTE", 120, 1, 1_000_000);
  },
  /** Pages that one address may request in a minute, a quarter of them at once. */
  get pageLimitPerMinute() {
    return integer("PAGE_LIMIT_PER_MINUTE", 1_200, 1, 1_000_000);
  },
  /**
   * Megabytes that a merchant's test mode may write in a day without a proved e-mail address, with 100 writes for each;
   * 50 times as much afterwards; 0 = any amount. In live mode there is none.
   */
  get sandboxQuotaMbPerDay() {
    return integer("SANDBOX_QUOTA_MB_PER_DAY", this.isOneMachine ? 0 : 20, 0, 1_000_000);
  },
  /** An account with test data and without a proved e-mail address is closed so many days after it was opened; 0 = never. */
  get unprovedAccountDays() {
    const days = integer("UNPROVED_ACCOUNT_DAYS", this.isOneMachine ? 0 : 30, 0, 3_650);
    if (days === 0 || days >= 30) return days;
    throw new ConfigurationError("UNPROVED_ACCOUNT_DAYS must be 0, or 30 or more.");
  },
  /** Accounts that may be opened from one network in a day; 0 = any number. */
  get signUpsPerDay() {
    return integer("SIGN_UPS_PER_DAY", this.isOneMachine ? 0 : 50, 0, 1_000_000);
  },
  /** Sign-ins, sign-ups and forgotten passwords that one address may try in a minute, each. */
  get signInLimitPerMinute() {
    return integer("SIGN_IN_LIMIT_PER_MINUTE", 30, 1, 1_000_000);
  },
  /** Declines that one address may have in a minute in the payment form; other limits follow from it (limits.ts). */
  get checkoutLimitPerMinute() {
    return integer("CHECKOUT_LIMIT_PER_MINUTE", 15, 1, 1_000_000);
  },
  /** Server for outgoing mail, `smtp://user:password@host:port` or `smtps://…`; without it `mailOutbox` decides. */
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
  /** Whether mail that no server takes waits at /outbox: "yes", "no", or "unset", for then only one machine's sandbox has it. */
  get mailOutbox() {
    const text = string("MAIL_OUTBOX");
    if (text === null) return "unset";
    if (text === "1" || text === "0") return text === "1" ? "yes" : "no";
    throw new ConfigurationError(`MAIL_OUTBOX must be 1 or 0, not "${text}".`);
  },
  /** Whether webhooks go to http and to private addresses, too: for development alone. */
  get webhookAllowLocal() {
    return yesOrNo("WEBHOOK_ALLOW_LOCAL");
  },
  /** How long a processor call may take; the lease of an operation is 2 s longer. */
  get processorTimeoutMs() {
    return integer("PROCESSOR_TIMEOUT_MS", 8_000, 100, 60_000);
  },
  /** Key of the connector that takes live payments of all merchants without a connection of their own; null = none does. */
  get liveProcessor() {
    return string("LIVE_PROCESSOR");
  },
  /** One of its credentials, by the name that the connector gives it, such as STRIPE_SECRET_KEY. */
  processorCredential(setting: string) {
    return string(setting);
  },
  /** Another host than the live processor's own, such as a simulator's. */
  get liveProcessorEndpoint() {
    return webAddress("LIVE_PROCESSOR_ENDPOINT");
  },
  /** Whether the operator's live processor gets card numbers; it also takes PCI_DSS_COMPLIANT. */
  get liveProcessorRawCards() {
    return yesOrNo("LIVE_PROCESSOR_RAW_CARDS");
  },
  /** Whether this installation may see card numbers of live payments at all. */
  get pciDssCompliant() {
    return yesOrNo("PCI_DSS_COMPLIANT");
  },
  /** How long the port stays open after SIGTERM, with readiness at 503: what a load balancer needs to notice. */
  get drainSeconds() {
    return integer("DRAIN_SECONDS", this.isOneMachine ? 0 : 3, 0, 60);
  },
  /** How many proxies in front of us are ours: that many X-Forwarded-For entries, from the right, are believed. */
  get trustedProxies() {
    return integer("TRUSTED_PROXIES", 0, 0, 10);
  },
  /** What Prometheus sends for /metrics as a bearer token; without it there is no /metrics. */
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
  /** Reads every setting once, so that a wrong one is found at the start. */
  check(): void {
    for (const name of Object.keys(this)) void this[name as keyof typeof this];
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

/** What production cannot do without, each with the sentence that mends it. */
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
