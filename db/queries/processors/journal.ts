import type { Sql } from "@/db/client";

/** A connection id, or the name of a built-in processor. */
type Owner = string;

/** Stores a fact unless one exists under its name; returns the stored one. Facts are JSON text. */
export async function noteFact(sql: Sql, owner: Owner, subject: string, name: string, fact: string): Promise<string> {
  for (;;) {
    const [inserted] = await sql<{ fact: string }[]>`
      insert into processor_journal (connection, subject, name, fact) values (${owner}, ${subject}, ${name}, ${fact})
      on conflict do nothing returning fact`;
    if (inserted) return inserted.fact;
    const [kept] = await sql<{ fact: string }[]>`
      select fact from processor_journal where connection = ${owner} and subject = ${subject} and name = ${name}`;
    // It may have been deleted between the two statements.
    if (kept) return kept.fact;
  }
}

/** All facts about a subject. Index: the primary key. */
export async function listFacts(sql: Sql, owner: Owner, subject: string): Promise<{ name: string; fact: string }[]> {
  return sql<{ name: string; fact: string }[]>`
    select name, fact from processor_journal where connection = ${owner} and subject = ${subject} limit 1000`;
}

/** Subjects with a fact of this name older than a time, oldest first. Index: `processor_journal_age`. */
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
 * Cards stored by a processor whose deletion is still due: facts named `card`. Those an hour overdue are not
 * counted, because the credentials may be refused forever. Index: `processor_journal_age`.
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
