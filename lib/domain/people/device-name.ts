/** Marks in a user agent, the most telling first: many claim to be several. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/HeadlessChrome\//, "Headless Chrome"],
  [/CriOS\/|Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
  [/^curl\//, "curl"],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/CrOS/, "ChromeOS"],
  [/Macintosh|Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

const firstOf = (marks: readonly [RegExp, string][], text: string) => marks.find(([mark]) => mark.test(text))?.[1];

/** A user agent in plain words: "Firefox on Windows". */
export function deviceName(userAgent: string | null): string {
  const browser = firstOf(BROWSERS, userAgent ?? "");
  const system = firstOf(SYSTEMS, userAgent ?? "");
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? (system && `A browser on ${system}`) ?? "Unknown browser";
}
