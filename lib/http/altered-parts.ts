type Part = { path: string[]; message: string };

const IN_TEXT = "This number has more digits, or is smaller, than a number can be. Send it as text, in quotes.";
const NO_NAME = "Nothing can be kept under this name. Choose another.";

/** Without one of these every number comes back as it was sent: 15 digits always do. */
const LONG_NUMBER = /[\d.]{16}|\d[eE]/;
/** Of valid JSON: texts, so that digits in them are passed over, and numbers. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*/g;
const NAME = "__proto__";

/**
 * What JavaScript does not keep of a JSON text as it was sent, `value` being what it read: numbers beyond its precision, and
 * members that are no members of its objects. Kept all the same they would come back as something the caller never said,
 * and two requests that differ there alone would count as the same one.
 */
export function alteredParts(text: string, value: unknown): Part[] {
  const parts: Part[] = [];
  if (text.includes(NAME) || text.includes("\\u")) {
    find(
      value,
      (part) => typeof part === "object" && Object.hasOwn(part, NAME),
      [],
      (path) => parts.push({ path: [...path, NAME], message: NO_NAME }),
    );
  }
  if (LONG_NUMBER.test(text)) {
    const mark = crypto.randomUUID();
    let marked = false;
    const others = text.replace(TOKENS, (token) => {
      if (token.startsWith('"') || isKept(token)) return token;
      marked = true;
      return `"${mark}"`;
    });
    if (marked)
      find(
        JSON.parse(others),
        (part) => part === mark,
        [],
        (path) => parts.push({ path, message: IN_TEXT }),
      );
  }
  return parts;
}

/** Calls `found` with the path of each part for which `isIt` holds. */
function find(
  part: unknown,
  isIt: (part: object | string) => boolean,
  path: string[],
  found: (path: string[]) => void,
): void {
  if (typeof part === "string" || (typeof part === "object" && part !== null)) {
    if (isIt(part)) found(path);
    if (typeof part === "string") return;
    for (const [name, member] of Object.entries(part)) find(member, isIt, [...path, name], found);
  }
}

const isKept = (number: string): boolean => digitsOf(number) === digitsOf(String(Number(number)));

/** One spelling for each decimal number: its digits, and by how many places they are shifted. Signs are always kept. */
function digitsOf(number: string): string {
  const [, whole = "", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = whole + fraction;
  let [first, end] = [0, digits.length];
  while (digits[first] === "0") first++;
  while (end > first && digits[end - 1] === "0") end--;
  return first === end ? "0" : `${digits.slice(first, end)}e${Number(exponent) + whole.length - end}`;
}
