/** Strips blanks, a byte order mark, line breaks and quotes, which copied settings often have. */
export function tidied(text: string): string {
  const trimmed = text.trim();
  const [first = "", last] = [trimmed[0], trimmed.at(-1)];
  const isQuoted = trimmed.length > 1 && first === last && (first === '"' || first === "'");
  return isQuoted ? trimmed.slice(1, -1).trim() : trimmed;
}

const KEYS = "sk_test_… in test mode, sk_live_… in live mode";

/** Returns the key without them. Throws a TypeError that names the mistake and never contains the key. */
export function checkedApiKey(apiKey: unknown): string {
  if (apiKey === undefined || apiKey === null) {
    throw new TypeError(`apiKey is ${apiKey}. Pass your API key, ${KEYS}; is its environment variable set?`);
  }
  if (typeof apiKey !== "string") throw new TypeError(`Pass your API key as a string: ${KEYS}.`);
  const key = tidied(apiKey);
  if (key === "") throw new TypeError(`apiKey is empty. Pass your API key: ${KEYS}.`);
  if (/^bearer\s/i.test(key)) throw new TypeError(`Pass apiKey without "Bearer": ${KEYS}.`);
  const at = key.search(/[^\x21-\x7e]/);
  if (at < 0) return key;
  throw new TypeError(
    `apiKey has a character that no key has, ${nameOf(key, at)} at place ${at + 1}. Copy the key again: ${KEYS}.`,
  );
}

function nameOf(text: string, at: number): string {
  const code = text.codePointAt(at) ?? 0;
  const names: Record<number, string> = { 9: "a tab", 10: "a line break", 13: "a line break", 32: "a space" };
  return names[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The service's address without a trailing slash or `/v1`, which the client adds itself. */
export function checkedBaseUrl(baseUrl: unknown): string {
  if (typeof baseUrl !== "string" || tidied(baseUrl) === "") {
    throw new TypeError("Pass the service's address as baseUrl, such as https://pay.example.com.");
  }
  const text = tidied(baseUrl);
  if (!/^https?:\/\//i.test(text)) {
    throw new TypeError(`baseUrl must begin with https:// or http://. It is ${JSON.stringify(text)}.`);
  }
  if (!URL.canParse(text)) throw new TypeError(`baseUrl is no address: ${JSON.stringify(text)}.`);
  const { origin, pathname, search, hash, username } = new URL(text);
  if (search !== "" || hash !== "" || username !== "") {
    throw new TypeError(`Pass baseUrl without user, query and fragment: ${origin}.`);
  }
  const segments = pathname.split("/").filter((segment) => segment !== "");
  if (segments.at(-1) === "v1") segments.pop();
  return [origin, ...segments].join("/");
}
