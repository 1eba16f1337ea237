/** Part of the guide, /docs/checkout, that is about it. */
export type Topic = "script" | "mount" | "token" | "options" | "appearance" | "languages" | "origins" | "your-button";

/** What whoever writes the merchant's page did wrong, and how to mend it. Never holds a token or a key. */
export type Mistake = { text: string; topic: Topic };

export const mistake = (topic: Topic, text: string): Mistake => ({ topic, text });

const sentence = (origin: string | null, { text, topic }: Mistake) =>
  `Cardlane: ${text}${origin === null ? "" : ` See ${origin}/docs/checkout#${topic}`}`;

/** Says it in the console as well: many pages and frameworks swallow what is thrown. */
export function refuse(origin: string | null, found: Mistake): never {
  complain(origin, found);
  throw new Error(sentence(origin, found));
}

export function complain(origin: string | null, found: Mistake): void {
  // biome-ignore lint/suspicious/noConsole: the console is where the page's developer looks.
  console.error(sentence(origin, found));
}

export function warn(origin: string, found: Mistake): void {
  // biome-ignore lint/suspicious/noConsole: the console is where the page's developer looks.
  console.warn(sentence(origin, found));
}
