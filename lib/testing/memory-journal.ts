import type { Journal } from "@/lib/processor/journal";

/** A journal that ends with its process. */
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
