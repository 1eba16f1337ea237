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
  /** Subjects with a fact of this name that is older, the oldest first. */
  older(name: string, than: Date, limit: number): Promise<string[]>;
  forget(subject: string): Promise<void>;
};

/** A journal that ends with its process: for tests, and where nothing is kept. */
export function memoryJournal(now: () => Date = () => new Date()): Journal {
  const noted = new Map<string, Map<string, { value: string; at: Date }>>();
  return {
    async note(subject, name, value) {
      const facts = noted.get(subject) ?? new Map();
      noted.set(subject, facts);
      if (!facts.has(name)) facts.set(name, { value: JSON.stringify(value), at: now() });
      return JSON.parse(facts.get(name).value);
    },
    async of(subject) {
      const facts = [...(noted.get(subject) ?? [])];
      return Object.fromEntries(facts.map(([name, { value }]) => [name, JSON.parse(value)]));
    },
    async older(name, than, limit) {
      const old = [...noted].filter(([, facts]) => (facts.get(name)?.at ?? than) < than);
      return old.map(([subject]) => subject).slice(0, limit);
    },
    async forget(subject) {
      noted.delete(subject);
    },
  };
}
