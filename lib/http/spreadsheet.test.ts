import { inflateRawSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { EXPORT_LOCALES, isLocale, separatorsOf } from "@/lib/contract/reporting/export-formats";
import { excelRetypes, type SheetColumn, type SheetOptions, sheetParts, withoutFormulas } from "./spreadsheet";

type Row = { text: string | null; amount: string; at: string };
const COLUMNS: SheetColumn<Row>[] = [
  { name: "text", heading: "Text", kind: "text", read: ({ text }) => text },
  { name: "amount", heading: "Amount", kind: "amount", read: ({ amount }) => amount },
  { name: "at_local", heading: "At", kind: "local_time", read: ({ at }) => at },
  { name: "at", heading: "At", kind: "time", read: ({ at }) => at },
];
const row = (text: string | null, amount = "1234.50", at = "2027-01-01T01:30:00.000Z"): Row => ({ text, amount, at });

const OPTIONS: SheetOptions = { format: "csv", locale: "en-US", timeZone: "America/Los_Angeles", title: "Rows" };

async function collect<Part>(parts: AsyncIterable<Part>): Promise<Part[]> {
  const all: Part[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

async function pieces(rows: readonly Row[], options: Partial<SheetOptions> = {}): Promise<(string | Uint8Array)[]> {
  return await collect(sheetParts([rows] as never, COLUMNS, { ...OPTIONS, ...options }));
}
const csv = async (rows: readonly Row[], options: Partial<SheetOptions> = {}) => (await pieces(rows, options)).join("");
const textIn = async (text: string, options: Partial<SheetOptions> = {}) =>
  (
    parse(await csv([row(text)], options), { bom: true, delimiter: [",", ";"], relax_column_count: true }) as string[][]
  )[1]?.[0];

describe("the guard against formulas", () => {
  test.each("=+-@＝＋－＠﹦﹢﹣﹫−".split(""))("puts an apostrophe before a text that begins with %s", async (sign) => {
    for (const before of ["", " ", "\u00a0", "\u200b", "\ufeff"])
      expect(await textIn(`${before}${sign}1+1`)).toBe(`'${before}${sign}1+1`);
  });

  test.each(["\t1", "\r1", "\n1"])("puts an apostrophe before a text that begins with %j", async (text) => {
    expect(await textIn(text)).toBe(`'${text}`);
  });

  test.each([
    ...["Discount 10%, -5 EUR", "Flat 3, +44 20 7946 0000", '{"note":"x,-1","tags":"a;+b"}', '["-1","=2"]'],
    ...["12-34", "a=b", "a\n=b", "a;=b", "a\t@b", '"-5 EUR" is off', "x@y.example", "1,000.50", "'=1", "–5 EUR", ""],
    ...['Say "hi"', "two\r\nlines", " spaces ", "Ünïcode 漢字 🙂"],
  ])("leaves %j as it is", async (text) => {
    expect(await textIn(text)).toBe(text);
  });

  test("is linear in the length of any text", () => {
    const msFor = (text: string) => {
      const before = process.cpuUsage();
      withoutFormulas(text);
      excelRetypes("de-DE")(text);
      return process.cpuUsage(before).user / 1_000;
    };
    // A quadratic algorithm would take a minute.
    for (const worst of ["\t", ' "', ";=", "\u200b", "1", "é"])
      expect(msFor(worst.repeat(100_000))).toBeLessThan(1_500);
  });
});

describe("plain CSV", () => {
  test("has no byte order mark, and machine-readable names and times", async () => {
    expect(await csv([row("a", "-9.95")])).toBe(
      "text,amount,at_local,at\na,-9.95,2026-12-31T17:30:00.000-08:00,2027-01-01T01:30:00.000Z\n",
    );
  });

  test("has the offset of each time, on both sides of a clock change", async () => {
    const times = ["2026-11-01T08:59:59.999Z", "2026-11-01T09:00:00.000Z"];
    const local = (await csv(times.map((at) => row("a", "1", at)))).split("\n").map((line) => line.split(",")[2]);
    expect(local.slice(1, 3)).toEqual(["2026-11-01T01:59:59.999-07:00", "2026-11-01T01:00:00.000-08:00"]);
    expect(await csv([row("a")], { timeZone: "Asia/Kathmandu" })).toContain("2027-01-01T07:15:00.000+05:45");
  });
});

describe("CSV for Excel", () => {
  const excel = (locale: string, rows = [row("000123")]) => csv(rows, { format: "csv_excel", locale });

  test.each([
    ["de-DE", "1234,50", ";"],
    ["fr-FR", "1234,50", ";"],
    ["pt-BR", "1234,50", ";"],
    ["de-CH", "1234.50", ";"],
    ["en-GB", "1234.50", ","],
    ["ja-JP", "1234.50", ","],
    ["ar-EG", "1234.50", ","],
  ])("in %s has amounts as %s, and columns split by %s", async (locale, amount, separator) => {
    const cells = ['"=""000123"""', amount, "2026-12-31 17:30:00", "2027-01-01 01:30:00"];
    const headings = ["Text", "Amount", "At (America/Los_Angeles)", "At (UTC)"];
    expect(await excel(locale)).toBe(`\ufeff${headings.join(separator)}\r\n${cells.join(separator)}\r\n`);
  });

  test.each([
    "000123",
    "02134",
    "4242",
    "4242424242424242",
    "1-2",
    "3/4",
    "12:30",
    "12E5",
    "1 Jan",
    "MAR 1",
    "3. Mai",
    "(5)",
  ])("keeps %s as text", async (text) => {
    expect(await textIn(text, { format: "csv_excel", locale: "de-DE" })).toBe(`="${text}"`);
  });

  test.each(["Order 12", "Zoë Müller", "SW1A 1AA", "txn_01k", "Discount 10%, 5 EUR", "a 1; =2"])(
    "writes %s as it is",
    async (text) => {
      expect(await textIn(text, { format: "csv_excel" })).toBe(text);
    },
  );

  test.each(["+4915112345678", "+44 20 7946 0000", "+1 (415) 555-0132"])(
    "keeps the telephone number %s",
    async (text) => {
      expect(await textIn(text), "for programs").toBe(text);
      expect(await textIn(text, { format: "csv_excel", locale: "de-DE" })).toBe(`="${text}"`);
    },
  );

  test.each(["+49 30 1234+A1", "+cmd|'/c calc'!A1", "+1 (415)\t=2", "+", "+ 1"])(
    "takes %j for no telephone number",
    async (text) => {
      for (const format of ["csv", "csv_excel"] as const) expect(await textIn(text, { format })).toBe(`'${text}`);
    },
  );

  test.each(["=1+1", "-5", '=cmd|"/c calc"!A1', '1"&CALC()&"', '"=1"'])("never calculates %s", async (text) => {
    expect(await textIn(text, { format: "csv_excel" })).toBe(/^[\d"]/.test(text) ? text : `'${text}`);
  });

  test.each(["UTC", "Etc/UTC", "GMT"])("has each time once for a business in %s", async (timeZone) => {
    const [headings, cells] = (await csv([row("a")], { format: "csv_excel", timeZone })).trimEnd().split("\r\n");
    expect(headings).toBe("\ufeffText,Amount,At (UTC)");
    expect(cells).toBe("a,1234.50,2027-01-01 01:30:00");
    expect(await csv([row("a")], { timeZone }), "programs read by position").toContain("at_local,at\n");
  });

  test("has both times for a zone that is at UTC for a part of the year", async () => {
    expect(await csv([row("a")], { format: "csv_excel", timeZone: "Europe/London" })).toContain(
      "At (Europe/London),At (UTC)",
    );
  });

  test("every locale that pages offer has separators that differ", () => {
    for (const locale of EXPORT_LOCALES) {
      expect(isLocale(locale)).toBe(true);
      const { decimal, column } = separatorsOf(locale);
      expect([locale, decimal === column]).toEqual([locale, false]);
    }
    for (const wrong of ["", "xx_YY", "klingon-empire-of-the-north", "de;DE"]) expect(isLocale(wrong)).toBe(false);
  });
});

/** The parts of a ZIP archive by name, read from its central directory. */
function unzip(bytes: Buffer): Map<string, string> {
  const parts = new Map<string, string>();
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [size, nameLength, extra] = [
      bytes.readUInt32LE(at + 20),
      bytes.readUInt16LE(at + 28),
      bytes.readUInt16LE(at + 30),
    ];
    const header = bytes.readUInt32LE(at + 42);
    const start = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
    const data = bytes.subarray(start, start + size);
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    parts.set(name, (bytes.readUInt16LE(at + 10) === 8 ? inflateRawSync(data) : data).toString("utf8"));
    at += 46 + nameLength + extra + bytes.readUInt16LE(at + 32);
  }
  return parts;
}

describe("an Excel workbook", () => {
  const sheetOf = async (rows: readonly Row[]) => {
    const written = (await pieces(rows, { format: "xlsx" })) as Uint8Array[];
    return unzip(Buffer.concat(written)).get("xl/worksheets/sheet1.xml") ?? "";
  };
  const cell = (sheet: string, ref: string) => sheet.split(`r="${ref}"`)[1]?.split("</c>")[0] ?? "";

  test("has headings with the zone, text as text, numbers and times as numbers", async () => {
    const sheet = await sheetOf([row("000123"), row("=1+1", "-0.05"), row(null)]);
    expect(["A1", "B1", "C1", "D1"].map((ref) => /<t>(.*)<\/t>/.exec(cell(sheet, ref))?.[1])).toEqual([
      ...["Text", "Amount", "At (America/Los_Angeles)", "At (UTC)"],
    ]);
    for (const [ref, text] of [
      ["A2", "000123"],
      ["A3", "=1+1"],
    ] as const)
      expect(cell(sheet, ref)).toMatch(new RegExp(`t="inlineStr".*<t>${text.replace("+", "\\+")}</t>`));
    expect(cell(sheet, "B2")).toContain("<v>1234.5</v>");
    expect(cell(sheet, "B3")).toContain("<v>-0.05</v>");
    // Days since 1900: 2026-12-31 is 46,387.
    expect(Number(/<v>(.*)<\/v>/.exec(cell(sheet, "C2"))?.[1])).toBeCloseTo(46_387 + 17.5 / 24, 6);
    expect(Number(/<v>(.*)<\/v>/.exec(cell(sheet, "D2"))?.[1])).toBeCloseTo(46_388 + 1.5 / 24, 6);
    expect(sheet).not.toContain("<f>");
  });

  test("shows each amount with the decimals of its currency, in any order of rows", async () => {
    const amounts = ["1000", "1234.50", "-1.500", "7", "0.00"];
    const written = (await pieces(
      amounts.map((amount) => row("a", amount)),
      { format: "xlsx" },
    )) as Uint8Array[];
    const parts = unzip(Buffer.concat(written));
    const [sheet, styles] = [parts.get("xl/worksheets/sheet1.xml") ?? "", parts.get("xl/styles.xml") ?? ""];
    const own = [...styles.matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(([, id, code]) => [
      id,
      code,
    ]);
    // Ids 3 and 4 are Excel's own.
    const codes = new Map([["3", "#,##0"], ["4", "#,##0.00"], ...own] as [string, string][]);
    const formats = [...(styles.split("<cellXfs")[1] ?? "").matchAll(/<xf numFmtId="(\d+)"/g)].map(
      ([, id]) => id ?? "",
    );
    const shown = amounts.map((_, i) => {
      const style = new RegExp(`r="B${i + 2}" s="(\\d+)"`).exec(sheet)?.[1];
      return codes.get(formats[Number(style)] ?? "");
    });
    expect(shown).toEqual(["#,##0", "#,##0.00", "#,##0.000", "#,##0", "#,##0.00"]);
  });

  test("has each time once for a business in UTC", async () => {
    const written = (await pieces([row("a")], { format: "xlsx", timeZone: "UTC" })) as Uint8Array[];
    const sheet = unzip(Buffer.concat(written)).get("xl/worksheets/sheet1.xml") ?? "";
    expect(sheet.split("At (UTC)")).toHaveLength(2);
    expect(sheet).not.toContain('r="D1"');
  });

  test("is well-formed for any text, within Excel's limits", async () => {
    const sheet = await sheetOf([row('<&>"\u0001\ufffe_x0041_ 🙂'), row("x".repeat(40_000))]);
    for (const illegal of ["\u0001", "\ufffe"]) expect(cell(sheet, "A2")).not.toContain(illegal);
    expect(cell(sheet, "A2")).toContain("&lt;&amp;&gt;");
    expect(cell(sheet, "A2")).toContain("_x005F_x0041_ 🙂");
    expect(/<t>(x*)<\/t>/.exec(cell(sheet, "A3"))?.[1]).toHaveLength(32_767);
  });

  test("fails for its reader if its rows fail, and closes its source if the reader leaves", async () => {
    let ended = false;
    async function* rows(fails: boolean) {
      try {
        for (let i = 0; ; i++) {
          if (fails && i === 300) throw new Error("the database went away");
          yield Array.from({ length: 50 }, () => row(crypto.randomUUID()));
        }
      } finally {
        ended = true;
      }
    }
    const of = (fails: boolean) => sheetParts(rows(fails), COLUMNS, { ...OPTIONS, format: "xlsx" });
    await expect(collect(of(true))).rejects.toThrow("the database went away");
    ended = false;
    const left = of(false);
    for (let i = 0; i < 5; i++) await left.next();
    await left.return();
    await expect.poll(() => ended).toBe(true);
  });
});

test("lines are written in short chunks, whatever their length", async () => {
  const long = await pieces(Array.from({ length: 200 }, (_, i) => row(i % 2 === 0 ? "=x;".repeat(8_300) : "")));
  expect(Math.max(...long.map((piece) => piece.length))).toBeLessThan(3 * 64 * 1024);
  expect(parse(long.join(""), { columns: true })).toHaveLength(200);
  const short = await pieces(Array.from({ length: 120 }, () => row("a")));
  expect(short.slice(1).map((piece) => String(piece).trim().split("\n").length)).toEqual([50, 50, 20]);
});
