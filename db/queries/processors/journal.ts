import type { Sql } from "../../client";

/** Notes a fact once; answers what is noted, which is this or came first. */
export async function noteFact(
  sql: Sql,
  processor: string,
  fact: { subject: string; name: string; value: string },
): Promise<string> {
  const { subject, name, value } = fact;
  const [row] = await sql<{ value: string }[]>`
    with noted as (
      insert into processor_journal (processor, subject, name, value)
      values (${processor}, ${subject}, ${name}, ${value})
      on conflict do nothing
      returning value
    )
    select value from noted
    union all
    select value from processor_journal where processor = ${processor} and subject = ${subject} and name = ${name}
    limit 1`;
  if (row) return row.value;
  // Another noted it at the same time, and this statement began too early to see that.
  const [first] = await sql<{ value: string }[]>`
    select value from processor_journal where processor = ${processor} and subject = ${subject} and name = ${name}`;
  if (!first) throw new Error(`the fact ${name} of ${subject} was noted and is gone`);
  return first.value;
}

export async function listFacts(
  sql: Sql,
  processor: string,
  subject: string,
): Promise<{ name: string; value: string }[]> {
  return sql<{ name: string; value: string }[]>`
    select name, value from processor_journal where processor = ${processor} and subject = ${subject}
    order by name limit 1000`;
}

/** Unused cards that are older. Index: `processor_journal_cards`. */
export async function listOldCards(sql: Sql, processor: string, than: Date, limit: number): Promise<string[]> {
  const rows = await sql<{ subject: string }[]>`
    select subject from processor_journal
    where processor = ${processor} and name = 'card' and created_at < ${than}
    order by created_at limit ${limit}::int`;
  return rows.map(({ subject }) => subject);
}

/** Forgets a card; what is noted of money stays. */
export async function deleteCard(sql: Sql, processor: string, subject: string): Promise<void> {
  await sql`delete from processor_journal where processor = ${processor} and subject = ${subject} and name = 'card'`;
}
