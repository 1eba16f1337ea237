import { RichText } from "@/components/docs/prose";
import type { JsonSchema } from "@/lib/contract/openapi-document";

type MemberListProps = {
  schema: JsonSchema;
  schemas: Schemas;
  /** Requests show required members and limits; responses always have all members. */
  kind: "request" | "answer";
  /** Endpoint of the body, whose members get anchors. */
  endpoint?: string;
};

/** Anchor of a parameter or a body member. */
export const memberAnchor = (endpoint: string, name: string) => `${endpoint}.${name}`;

/**
 * The members of an object with their types and descriptions. Objects without a section of their own are
 * expanded in place.
 */
export function MemberList({ schema, schemas, kind, endpoint }: MemberListProps) {
  return (
    <ul className="divide-y border-y">
      {Object.entries(schema.properties ?? {}).map(([name, member]) => (
        <Member
          key={name}
          name={name}
          member={member}
          required={kind === "request" && (schema.required?.includes(name) ?? false)}
          schemas={schemas}
          kind={kind}
          {...(endpoint !== undefined && { endpoint })}
        />
      ))}
    </ul>
  );
}

type MemberProps = Omit<MemberListProps, "schema"> & { name: string; member: JsonSchema; required: boolean };

export function Member({ name, member, required, schemas, kind, endpoint }: MemberProps) {
  const { label, link, nullable, values, members } = describeSchema(member, schemas);
  const fallback = member.default;
  const notes = kind === "request" ? limitsOf(member) : [];
  if (nullable && kind === "answer") notes.push("or null");
  if (kind === "request" && fallback !== undefined && fallback !== null && typeof fallback !== "object") {
    notes.push(`default ${fallback}`);
  }
  return (
    <li className="py-2.5" id={endpoint && memberAnchor(endpoint, name)}>
      <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-soft">
        <code className="break-all font-medium font-mono text-[13px] text-ink">{name}</code>
        {link ? (
          <a href={`#${link}`} className="text-accent underline underline-offset-2">
            {label}
          </a>
        ) : (
          <span>{label}</span>
        )}
        {notes.map((note) => (
          <span key={note}>{note}</span>
        ))}
        {required && <span className="text-amber">required</span>}
      </p>
      {member.description && (
        <p className="mt-0.5 text-[13px] text-soft">
          <RichText text={member.description} />
        </p>
      )}
      {values.length > 0 && <Values values={values} />}
      {members && (
        <details className="mt-2 rounded-md border">
          <summary className="px-3 py-1.5 text-soft text-xs">
            Members of <code className="font-mono">{name}</code>
          </summary>
          <div className="px-3 pb-3">
            <MemberList schema={members} schemas={schemas} kind={kind} />
          </div>
        </details>
      )}
    </li>
  );
}

function Values({ values }: { values: string[] }) {
  return (
    <p className="mt-1 text-xs leading-5">
      {values.map((value) => (
        <span key={value}>
          <code className="tick">{value}</code>{" "}
        </span>
      ))}
    </p>
  );
}

export type Schemas = Readonly<Record<string, JsonSchema>>;

const PREFIX = "#/components/schemas/";

/** Components with a section of their own, which are linked instead of expanded. */
export const OBJECTS = ["Payment", "Transaction", "SubscriptionPlan", "ClientSession", "Problem"] as const;
const isObject = (name: string) => (OBJECTS as readonly string[]).includes(name);

export const refName = (schema: JsonSchema): string | null =>
  schema.$ref?.startsWith(PREFIX) ? schema.$ref.slice(PREFIX.length) : null;

/** Description of a member for the page. */
type Described = {
  label: string;
  /** Name of the object it links to. */
  link: string | null;
  nullable: boolean;
  values: string[];
  /** Members of an object that is expanded in place. */
  members: JsonSchema | null;
};

export function describeSchema(schema: JsonSchema, schemas: Schemas): Described {
  const name = refName(schema);
  if (name !== null) {
    if (isObject(name)) return { label: name, link: name, nullable: false, values: [], members: null };
    return describeSchema(schemas[name] ?? {}, schemas);
  }
  const options = schema.anyOf?.filter((option) => option.type !== "null");
  if (schema.anyOf && options?.length === 1) {
    return { ...describeSchema(options[0] ?? {}, schemas), nullable: options.length < schema.anyOf.length };
  }
  const types = [schema.type ?? []].flat();
  const nullable = types.includes("null");
  const type = types.find((candidate) => candidate !== "null") ?? "any";
  if (type === "array") return describeArray(schema, schemas, nullable);
  const values = (schema.enum ?? []).filter((value) => value !== null).map(String);
  const format = schema.format === "date-time" ? "time" : schema.format === "email" ? "e-mail" : type;
  return { label: format, link: null, nullable, values, members: schema.properties ? schema : null };
}

function describeArray(schema: JsonSchema, schemas: Schemas, nullable: boolean): Described {
  const item = describeSchema(schema.items ?? {}, schemas);
  return { ...item, label: `array of ${item.label}${item.link ? "" : "s"}`, nullable };
}

const number = new Intl.NumberFormat("en");

/** Limits of a value in a request. */
function limitsOf(schema: JsonSchema): string[] {
  const { minimum, maximum, maxLength, maxItems } = schema;
  const limits: string[] = [];
  if (typeof minimum === "number" && typeof maximum === "number") {
    limits.push(`${number.format(minimum)}–${number.format(maximum)}`);
  } else if (typeof minimum === "number") limits.push(`at least ${number.format(minimum)}`);
  if (maxLength !== undefined) limits.push(`at most ${maxLength} characters`);
  if (maxItems !== undefined) limits.push(`at most ${maxItems}`);
  return limits;
}
