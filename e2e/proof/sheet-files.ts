import { inflateRawSync } from "node:zlib";

/** A second reader of exported files, written from RFC 4180 and ECMA-376 and sharing nothing with their writer. */

export type Sheet = { headings: string[]; rows: string[][] };

/** Quoted cells may contain separators and line ends; a doubled quote is one quote. */
export function readCsv(text: string, separator = ","): Sheet {
  const lines: string[][] = [];
  let line: string[] = [];
  let cell = "";
  let isQuoted = false;
  const source = text.replace(/^\uFEFF/, "");
  for (let at = 0; at < source.length; at++) {
    const character = source[at] as string;
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (source[at + 1] === '"') {
        cell += '"';
        at++;
      } else isQuoted = false;
    } else if (character === '"' && cell === "") isQuoted = true;
    else if (character === separator) {
      line.push(cell);
      cell = "";
    } else if (character === "\n") {
      lines.push([...line, cell.replace(/\r$/, "")]);
      line = [];
      cell = "";
    } else cell += character;
  }
  if (isQuoted || cell !== "" || line.length > 0) throw new Error(`the file ends within a line: ${cell.slice(0, 80)}`);
  return sheetOf(lines);
}

function sheetOf([headings, ...rows]: string[][]): Sheet {
  if (!headings) throw new Error("the file is empty");
  const odd = rows.find(({ length }) => length !== headings.length);
  if (odd) throw new Error(`a row has ${odd.length} cells below ${headings.length} headings: ${odd.join("|")}`);
  return { headings, rows };
}

/** The first sheet of a workbook. Numbers keep the digits that the file has. */
export function readXlsx(file: Buffer): Sheet {
  const entries = unzip(file);
  const shared = [...(entries.get("xl/sharedStrings.xml") ?? "").matchAll(/<si\b[^>]*>([\s\S]*?)<\/si>/g)].map(
    ([, item = ""]) => textsIn(item),
  );
  const sheet = entries.get("xl/worksheets/sheet1.xml");
  if (sheet === undefined) throw new Error(`no sheet among ${[...entries.keys()].join(", ")}`);
  const rows = [...sheet.matchAll(/<row\b[^>]*?(?:\/>|>([\s\S]*?)<\/row>)/g)].map(([, row = ""]) => {
    const cells: string[] = [];
    for (const [, attributes = "", content = ""] of row.matchAll(/<c\b([^>]*?)(?:\/>|>([\s\S]*?)<\/c>)/g)) {
      const place = columnOf(/\br="([A-Z]+)\d+"/.exec(attributes)?.[1]) ?? cells.length;
      const value = unescaped(/<v\b[^>]*>([\s\S]*?)<\/v>/.exec(content)?.[1] ?? "");
      const kind = /\bt="(\w+)"/.exec(attributes)?.[1];
      while (cells.length < place) cells.push("");
      cells[place] = kind === "s" ? (shared[Number(value)] as string) : kind === "inlineStr" ? textsIn(content) : value;
    }
    return cells;
  });
  const width = rows[0]?.length ?? 0;
  return sheetOf(rows.map((cells) => [...cells, ...Array<string>(Math.max(0, width - cells.length)).fill("")]));
}

/** "A" → 0, "AB" → 27. */
function columnOf(letters: string | undefined): number | undefined {
  if (letters === undefined) return undefined;
  let column = 0;
  for (let at = 0; at < letters.length; at++) column = column * 26 + letters.charCodeAt(at) - 64;
  return column - 1;
}

const textsIn = (xml: string) =>
  [...xml.matchAll(/<t\b[^>]*>([\s\S]*?)<\/t>/g)].map(([, text = ""]) => unescaped(text)).join("");

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Text of XML without its escapes. */
const unescaped = (text: string): string =>
  text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });

const END_OF_ZIP = 0x06054b50;
const CENTRAL_ENTRY = 0x02014b50;

/** Names and texts of a ZIP file's entries, by its central directory. */
function unzip(file: Buffer): Map<string, string> {
  let end = file.length - 22;
  while (end >= 0 && file.readUInt32LE(end) !== END_OF_ZIP) end--;
  if (end < 0) throw new Error("not a ZIP file");
  const entries = new Map<string, string>();
  let at = file.readUInt32LE(end + 16);
  for (let left = file.readUInt16LE(end + 10); left > 0; left--) {
    if (file.readUInt32LE(at) !== CENTRAL_ENTRY) throw new Error("the ZIP file's directory is broken");
    const [method, size] = [file.readUInt16LE(at + 10), file.readUInt32LE(at + 20)];
    const [names, extras, comments] = [28, 30, 32].map((offset) => file.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const name = file.toString("utf8", at + 46, at + 46 + names);
    const local = file.readUInt32LE(at + 42);
    const start = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    const packed = file.subarray(start, start + size);
    entries.set(name, (method === 0 ? packed : inflateRawSync(packed)).toString("utf8"));
    at += 46 + names + extras + comments;
  }
  return entries;
}

/** Decimal places of the currencies that the demo shop takes. */
const PLACES: Readonly<Record<string, number>> = { USD: 2, EUR: 2, GBP: 2, JPY: 0 };

/** Minor units of an amount in major units, as a page or a file for people has it: "−$1,234.50", "1234,5". */
export function minorUnits(text: string, currency: string, decimal: "." | "," = "."): bigint {
  const places = PLACES[currency];
  const thousands = decimal === "." ? "," : ".";
  const plain = text
    .replaceAll(thousands, "")
    .replace(decimal, ".")
    .replaceAll(/[^\d.−-]/g, "")
    .replace("−", "-");
  const found = /^(-?)(\d+)(?:\.(\d+))?$/.exec(plain);
  if (places === undefined || !found) throw new Error(`'${text}' is no amount in ${currency}`);
  const [, sign, whole = "", fraction = ""] = found;
  if (fraction.length > places) throw new Error(`'${text}' has a fraction of the smallest unit of ${currency}`);
  const units = BigInt(whole + fraction.padEnd(places, "0"));
  return sign ? -units : units;
}
