import pino, { type Logger as PinoLogger } from "pino";
import { env } from "@/lib/env";
import { maskCardNumbers } from "./contract/card-numbers";
import { serializeError } from "./log-error";
import { createLineLimits, shortenLine } from "./log-limits";
import { CREDENTIAL_NAMES } from "./processor/credential-names";

export type Logger = PinoLogger;

/** Members that are never written, at any depth. */
const SECRET_MEMBERS = [
  ...["card", "number", "cvv", "cvc", "pan", "password", "secret", "token", "payment_token", "client_session_token"],
  ...["credentials", ...CREDENTIAL_NAMES],
  ...["authorization", "cookie", '["set-cookie"]', '["x-api-key"]'],
];
const CENSORED = "[redacted]";

/**
 * Last check of a line before it is written: keys and card numbers may also occur inside a message, where no
 * rule about members finds them. Linear in the line's length.
 */
export function scrub(text: string): string {
  const masked = text
    .replace(/([sr]k_(?:test|live))_[0-9A-Za-z]{8,}/g, `$1_${CENSORED}`)
    // Processors' signing secrets and API keys.
    .replace(/(whsec_|AQE)[0-9A-Za-z+/=_-]{16,}/g, `$1${CENSORED}`)
    // Stops at a slash, which a user or password cannot contain unescaped; another address may follow.
    .replace(/postgres(?:ql)?:\/\/[^@/\s"]+@/g, `postgres://${CENSORED}@`)
    .replace(/\$argon2[\w$=,+/.-]+/g, CENSORED);
  const line = maskCardNumbers(masked);
  return line === masked || isJson(line) || !isJson(masked) ? line : maskedMembers(masked);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Masks a line member by member, if masking it as a whole would break its JSON. */
function maskedMembers(line: string): string {
  const mask = (_: string, value: unknown) => {
    const text = typeof value === "string" ? value : typeof value === "number" ? String(value) : null;
    if (text === null) return value;
    const masked = maskCardNumbers(text);
    return masked === text ? value : masked;
  };
  const kept = JSON.stringify(JSON.parse(line, mask));
  // Digits that form a number only across members: the line becomes one text.
  const { level, time } = JSON.parse(line) as { level?: unknown; time?: unknown };
  const safe = maskCardNumbers(kept) === kept ? kept : JSON.stringify({ level, time, msg: maskCardNumbers(kept) });
  return `${safe}\n`;
}

type LoggerOptions = {
  destination?: { write(line: string): void };
  level?: string;
  /** Milliseconds on a monotonic clock. */
  now?: () => number;
};

export function createLogger(options: LoggerOptions = {}): Logger {
  const limits = createLineLimits((of, count) => {
    logger.warn({ [LEFT_OUT]: true, of }, `${count} further lines of this kind were left out`);
  }, options.now);
  const members = SECRET_MEMBERS.map((name) =>
    name.startsWith("[") ? { at: name, in: name } : { at: name, in: `.${name}` },
  );
  const logger: Logger = pino(
    {
      level: options.level ?? env.logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: serializeError },
      formatters: { level: (level) => ({ level }) },
      redact: { paths: members.flatMap((name) => [name.at, `*${name.in}`, `*.*${name.in}`]), censor: CENSORED },
      hooks: {
        streamWrite: (line) => scrub(shortenLine(line)),
        logMethod(args, method) {
          if (isLeftOutLine(args[0]) || limits.take(kindOf(args))) method.apply(this, args);
        },
      },
    },
    // Standard error: standard output is for what a user or a script requested.
    options.destination ?? pino.destination({ fd: 2, sync: true }),
  );
  return logger;
}

/** Marks the line that reports dropped lines, which must not count as one of their kind. */
const LEFT_OUT = Symbol("left out");
const isLeftOutLine = (details: unknown) => typeof details === "object" && details !== null && LEFT_OUT in details;

/**
 * Lines with the same message are of one kind, whatever their members; all output of libraries is one kind.
 */
function kindOf([first, message]: readonly unknown[]): string {
  if (typeof first === "string") return first;
  const { source, err } = (first ?? {}) as { source?: unknown; err?: unknown };
  if (source === "console") return "console";
  return typeof message === "string" ? message : err instanceof Error ? err.message : "";
}

/** The process's log: JSON lines on standard error. */
export const log = createLogger();
