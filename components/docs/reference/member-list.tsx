import type { JsonSchema } from "@/lib/contract/openapi-document";
import { RichText } from "../rich-text";
import { describeSchema, limitsOf, type Schemas } from "./schema-type";

type MemberListProps = {
  schema: JsonSchema;
  schemas: Schemas;
  /** Requests mark what must be sent, and the limits of it; answers always have all members. */
  kind: "request" | "answer";
};

/** The members of an object, each with its type and meaning; objects without a section of their own are unfolded. */
export function MemberList({ schema, schemas, kind }: MemberListProps) {
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
        />
      ))}
    </ul>
  );
}

type MemberProps = Omit<MemberListProps, "schema"> & { name: string; member: JsonSchema; required: boolean };

export function Member({ name, member, required, schemas, kind }: MemberProps) {
  const { label, link, nullable, values, members } = describeSchema(member, schemas);
  const fallback = member.default;
  const notes = kind === "request" ? limitsOf(member) : [];
  if (nullable && kind === "answer") notes.push("or null");
  if (kind === "request" && fallback !== undefined && fallback !== null && typeof fallback !== "object") {
    notes.push(`default ${fallback}`);
  }
  return (
    <li className="py-2.5">
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
