/** Section of the guide /docs/checkout about a mistake. */
export type Topic =
  | "script"
  | "mount"
  | "token"
  | "options"
  | "appearance"
  | "languages"
  | "origins"
  | "not-loaded"
  | "csp"
  | "your-button";

/** A mistake in the merchant's page and its fix. Never contains a token or a key. */
export type Mistake = { text: string; topic: Topic };

export const mistake = (topic: Topic, text: string): Mistake => ({ topic, text });

const sentence = (origin: string | null, { text, topic }: Mistake) =>
  `Cardlane: ${text}${origin === null ? "" : ` See ${origin}/docs/checkout#${topic}`}`;

/** Also logs to the console, because many pages and frameworks swallow exceptions. */
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

const PATH = "/sdk/v1.js";

export const UNKNOWN_ORIGIN = mistake(
  "script",
  `The script does not know where it came from. Load it with <script src="https://…${PATH}"> from the address of your Cardlane service: not as a module, not bundled, not from a copy.`,
);

/** Cardlane's origin, taken from the script's address; null if the script was bundled or copied. */
export function originOf(script: object | null): string | null {
  const { src } = (script ?? {}) as { src?: unknown };
  if (typeof src !== "string" || src === "") return null;
  const { origin, pathname } = new URL(src);
  return pathname === PATH ? origin : null;
}

/** Reason why the page can't hold a payment form. */
export function pageMistake(page: { origin: string; isSecureContext: boolean }): Mistake | null {
  if (page.origin === "null") {
    return mistake(
      "origins",
      "This page has no origin: it is a file or in a sandboxed frame. Serve it over http from localhost, or over https.",
    );
  }
  if (!page.isSecureContext) {
    return mistake(
      "origins",
      `${page.origin} is not secure: anyone on the network could replace the payment form. Serve the page, and whatever frames it, over https; http is allowed for localhost only.`,
    );
  }
  return null;
}

/** The element to mount in, or the problem with it. */
export function findElement(target: unknown, root: ParentNode): HTMLElement | Mistake {
  if (typeof target === "string") return findBySelector(target, root);
  if (isElement(target)) return target;
  if (typeof target === "object" && target !== null && "current" in target) {
    return mistake("mount", "mount() got a ref and not an element. Pass ref.current, in an effect.");
  }
  return mistake("mount", `mount() needs an element or a selector such as "#payment", and got ${String(target)}.`);
}

function findBySelector(selector: string, root: ParentNode): HTMLElement | Mistake {
  let found: Element | null;
  try {
    found = root.querySelector(selector);
  } catch {
    return mistake("mount", `"${selector}" is not a CSS selector. For an id write "#payment".`);
  }
  if (isElement(found)) return found;
  return mistake(
    "mount",
    `Nothing in the page matches "${selector}". Mount after the element is there: below it, or on DOMContentLoaded.`,
  );
}

/** Not `instanceof`: the element may belong to another window. */
const isElement = (value: unknown): value is HTMLElement =>
  typeof value === "object" && value !== null && (value as Node).nodeType === 1 && "append" in value;
