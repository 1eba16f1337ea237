import { decodeId, encodeId, ID_PREFIX, type IdKind } from "@/lib/contract/ids";
import { idAt, idTime } from "@/lib/ids";

/** A statement as sent to the database. */
export type Statement = { pool: "main" | "orm" | "store"; text: string; parameters: unknown[]; prepare: boolean };

/** Text with placeholders: an id (a UUID, a public id, or one of Stripe's), or the time of the request. */
type Part = string | { id: number; kind: IdKind | "stripe" | null } | { time: true };
type Parameter =
  | { is: "constant"; value: unknown }
  | { is: "deadline"; afterMs: number }
  | { is: "text" | "json"; parts: Part[] };

/**
 * The statements of one request in one environment, for repeated sending: ids are new each time, except the
 * first ones, which the request names. The floor therefore always sends the service's own statements.
 */
export type Script = {
  readonly environment: string;
  readonly ids: number;
  readonly statements: { pool: Statement["pool"]; text: string; prepare: boolean; parameters: Parameter[] }[];
};

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
const PUBLIC_ID = `(?:${Object.values(ID_PREFIX).join("|")})_[0-7][0-9a-hjkmnp-tv-z]{25}`;
const TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";
const STRIPE_ID = "(?:pi|ch)_[0-9A-Za-z]{10,}";
const GAP = new RegExp(`${UUID}|${PUBLIC_ID}|${STRIPE_ID}|${TIME}`, "g");
const RECENT_MS = 60_000;

/** `given`: ids that a request will name, in that order. `keep`: ids that are the same in every request. */
export function scriptOf(
  environment: string,
  statements: Statement[],
  options: { given?: string[]; keep?: string[] } = {},
): Script {
  if (statements.some(({ text }) => /^\s*begin/i.test(text))) throw new Error("the floor sends no transactions");
  const ids = [...(options.given ?? [])];
  const recordedAt = Date.now();
  const isRecent = (time: string) => Math.abs(Date.parse(time) - recordedAt) < RECENT_MS;

  function gap(found: string): Part {
    if (found.endsWith("Z") && found[4] === "-") return isRecent(found) ? { time: true } : found;
    if (isStripe(found)) {
      if (!ids.includes(found)) ids.push(found);
      return { id: ids.indexOf(found), kind: "stripe" };
    }
    const kind = kindOf(found);
    const uuid = kind ? (decodeId(kind, found) as string) : found;
    if (options.keep?.includes(uuid)) return found;
    if (!ids.includes(uuid)) {
      if (!isRecent(idTime(uuid))) return found;
      ids.push(uuid);
    }
    return { id: ids.indexOf(uuid), kind };
  }

  function partsOf(text: string): Part[] {
    const parts: Part[] = [];
    let end = 0;
    for (const match of text.matchAll(GAP)) {
      parts.push(text.slice(end, match.index), gap(match[0]));
      end = match.index + match[0].length;
    }
    return [...parts, text.slice(end)].filter((part) => part !== "");
  }

  function parameterOf(value: unknown): Parameter {
    if (value instanceof Date) return { is: "deadline", afterMs: value.getTime() - recordedAt };
    const isJson = typeof value === "object" && value !== null && !Buffer.isBuffer(value);
    if (typeof value !== "string" && !isJson) return { is: "constant", value };
    const parts = partsOf(isJson ? JSON.stringify(value) : (value as string));
    return parts.every((part) => typeof part === "string")
      ? { is: "constant", value }
      : { is: isJson ? "json" : "text", parts };
  }

  const templates = statements.map((statement) => ({
    ...statement,
    parameters: statement.parameters.map(parameterOf),
  }));
  return { environment, ids: ids.length, statements: templates };
}

const isStripe = (text: string) => new RegExp(`^${STRIPE_ID}$`).test(text);

function kindOf(text: string): IdKind | null {
  const end = text.lastIndexOf("_");
  if (end < 0) return null;
  return (Object.keys(ID_PREFIX) as IdKind[]).find((kind) => ID_PREFIX[kind] === text.slice(0, end)) ?? null;
}

/** Builds the parameters of every statement for one request. */
export function fill(script: Script, given: readonly string[]): unknown[][] {
  const now = new Date();
  const time = now.toISOString();
  const ids = [...given];
  while (ids.length < script.ids) ids.push(idAt(now));
  const write = (part: Part): string => {
    if (typeof part === "string") return part;
    if ("time" in part) return time;
    const id = ids[part.id] as string;
    if (part.kind === "stripe") return `pi_${id}`;
    return part.kind ? encodeId(part.kind, id) : id;
  };
  return script.statements.map(({ parameters }) =>
    parameters.map((parameter) => {
      switch (parameter.is) {
        case "constant":
          return parameter.value;
        case "deadline":
          return new Date(now.getTime() + parameter.afterMs);
        case "text":
          return parameter.parts.map(write).join("");
        case "json":
          return JSON.parse(parameter.parts.map(write).join(""));
        default:
          return parameter satisfies never;
      }
    }),
  );
}
