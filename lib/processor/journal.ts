/** What was noted of a subject: JSON by its name. */
type Facts = Readonly<Record<string, unknown>>;

/**
 * What a connector must remember because its processor cannot be asked: what it sent, what was answered, what messages said.
 * A fact is noted once and never changes, and is there for every process once `note` resolves. It holds no card data.
 */
export type Journal = {
  /** Notes a fact; answers what is noted under its name, which is this or came first. */
  note<T>(subject: string, name: string, value: T): Promise<T>;
  of(subject: string): Promise<Facts>;
  /** Subjects with a fact of this name that is older, the oldest first. */
  older(name: string, than: Date, limit: number): Promise<string[]>;
  forget(subject: string): Promise<void>;
};
