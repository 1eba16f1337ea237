import type { Sql } from "@/db/client";

/** A connection, or the name of a processor that is built in. */
type Owner = string;

/** Notes a fact unless one is noted under its name; answers what is. Facts are JSON text. */
export async function noteFact(sql: Sql, owner: Owner, subject: string, name: string, fact: string): Promise<string> {
  for (;;) {
    const [made] = await sql<{ fact: string }[]>`
      insert into processor_journal (connection, subject, name, fact) values (${owner}, ${subject}, ${name}, ${fact})
      on conflict do nothing returning fact`;
    if (made) return made.fact;
    const [kept] = await sql<{ fact: string }[]>`
      select fact from processor_journal where connection = ${owner} and subject = ${subject} and name = ${name}`;
    // It may have been forgotten between the two.
    if (kept) return kept.fact;
  }
}

/** Everything that is noted of a subject. Index: the primary key. */
export async function listFacts(sql: Sql, owner: Owner, subject: string): Promise<{ name: string; fact: string }[]> {
  return sql<{ name: string; fact: string }[]>`
    select name, fact from processor_journal where connection = ${owner} and subject = ${subject} limit 1000`;
}

/** Subjects with a fact of this name from before a time, the oldest first. Index: `processor_journal_age`. */
export async function listOlderSubjects(
  sql: Sql,
  owner: Owner,
  name: string,
  than: Date,
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ subject: string }[]>`
    select subject from processor_journal
    where connection = ${owner} and name = ${name} and created_at < ${than}::timestamptz
    order by created_at limit ${limit}::int`;
  return rows.map(({ subject }) => subject);
}

/**
 * Cards that a processor stores and was not asked to forget yet: facts of the name `card`. One that it has not forgotten an
 * hour after its time is not counted: credentials may be refused for ever. Index: `processor_journal_age`.
 */
export async function countKeptCards(sql: Sql, owner: Owner): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from processor_journal
    where connection = ${owner} and name = 'card' and created_at > now() - interval '2 hours'`;
  return row?.count ?? 0;
}

export async function forgetSubject(sql: Sql, owner: Owner, subject: string): Promise<void> {
  await sql`delete from processor_journal where connection = ${owner} and subject = ${subject}`;
}
