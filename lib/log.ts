import pino, { type Logger as PinoLogger } from "pino";
import { env } from "@/lib/env";
import { serializeError } from "./log-error";

export type Logger = PinoLogger;

/** Members that are never written, wherever they stand. */
const SECRET_MEMBERS = [
  ...["card", "number", "cvv", "cvc", "pan", "password", "secret", "token", "payment_token", "client_session_token"],
  ...["authorization", "cookie", '["set-cookie"]', '["x-api-key"]', "api_key"],
];
const CENSORED = "[redacted]";

/**
 * The last look at a line before it is written: keys and card numbers can also stand inside a message, where no rule
 * about members finds them.
 */
export function scrub(line: string): string {
  return line
    .replace(/(sk_(?:test|live))_[0-9A-Za-z]{8,}/g, `$1_${CENSORED}`)
    .replace(/postgres(ql)?:\/\/[^@\s"]+@/g, `postgres://${CENSORED}@`)
    .replace(/\$argon2[\w$=,+/.-]+/g, CENSORED)
    .replace(/(?<!\d)\d(?:[ -]?\d){12,}(?!\d)/g, withoutCards);
}

/** Any row of whole groups of digits can be the number: another one may stand right beside it. */
function withoutCards(digits: string): string {
  const groups = digits.split(/(?<=[ -])/);
  for (let first = 0; first < groups.length; first++) {
    let length = 0;
    for (let last = first; last < groups.length && length < 19; last++) {
      const group = groups[last] as string;
      length += group.length - (/[ -]$/.test(group) ? 1 : 0);
      if (length < 13 || length > 19 || !passesLuhn(groups.slice(first, last + 1).join(""))) continue;
      groups.splice(first, last - first + 1, group.replace(/.*\d/, CENSORED));
      break;
    }
  }
  return groups.join("");
}

function passesLuhn(text: string): boolean {
  let sum = 0;
  let double = false;
  for (let i = text.length - 1; i >= 0; i--) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) continue;
    const value = double ? digit * 2 : digit;
    sum += value > 9 ? value - 9 : value;
    double = !double;
  }
  return sum % 10 === 0;
}

export function createLogger(options: { destination?: { write(line: string): void }; level?: string } = {}): Logger {
  const members = SECRET_MEMBERS.map((name) =>
    name.startsWith("[") ? { at: name, in: name } : { at: name, in: `.${name}` },
  );
  return pino(
    {
      level: options.level ?? env.logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: serializeError },
      formatters: { level: (level) => ({ level }) },
      redact: { paths: members.flatMap((name) => [name.at, `*${name.in}`, `*.*${name.in}`]), censor: CENSORED },
      hooks: { streamWrite: scrub },
    },
    // Standard error: standard output belongs to what a person or a script asked for.
    options.destination ?? pino.destination({ fd: 2, sync: true }),
  );
}

/** The process's log: JSON lines on standard error. */
export const log = createLogger();
