import type { Sql } from "@/db/client";
import { deleteCard, listFacts, listOldCards, noteFact } from "@/db/queries/processors/journal";

/** What was noted of a subject: JSON by its name. */
export type Facts = Readonly<Record<string, unknown>>;

/**
 * What a connector must remember because its processor cannot be asked: what it sent, what was answered, what messages said.
 * A fact is noted once and never changes, and is there for every process once `note` resolves. It holds no card data.
 */
export type Journal = {
  /** Notes a fact; answers what is noted under its name, which is this or came first. */
  note<T>(subject: string, name: string, value: T): Promise<T>;
  of(subject: string): Promise<Facts>;
  /** Subjects of cards, by the fact `card`, which were noted longer ago; the oldest first. */
  oldCards(than: Date, limit: number): Promise<string[]>;
  /** Nothing else is ever forgotten. */
  forgetCard(subject: string): Promise<void>;
};

/** The journal of a connection, in the database. */
export const databaseJournal = (sql: Sql, processor: string): Journal => ({
  note: async (subject, name, value) =>
    JSON.parse(await noteFact(sql, processor, { subject, name, value: JSON.stringify(value) })),
  async of(subject) {
    const facts = await listFacts(sql, processor, subject);
    return Object.fromEntries(facts.map(({ name, value }) => [name, JSON.parse(value)]));
  },
  oldCards: (than, limit) => listOldCards(sql, processor, than, limit),
  forgetCard: (subject) => deleteCard(sql, processor, subject),
});
