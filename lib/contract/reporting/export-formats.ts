/** File formats of exports, without zod: pages offer them, the service writes them. */

export const EXPORT_FORMATS = ["csv", "csv_excel", "xlsx"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export const isExportFormat = (text: string): text is ExportFormat =>
  (EXPORT_FORMATS as readonly string[]).includes(text);

/** Pages offer these by their English names; every `Intl` locale is accepted. */
export const EXPORT_LOCALES =
  "en-US en-GB en-AU en-CA en-IN en-ZA cs-CZ da-DK de-AT de-CH de-DE es-ES es-MX fi-FI fr-BE fr-CA fr-CH fr-FR it-IT ja-JP ko-KR nb-NO nl-NL pl-PL pt-BR pt-PT sv-SE tr-TR zh-CN zh-TW".split(
    " ",
  );
export const DEFAULT_LOCALE = "en-US";

export function isLocale(text: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(text).length > 0;
  } catch {
    return false;
  }
}

export type Separators = { decimal: string; column: string };

/**
 * Separators that Excel expects under the locale's regional settings. Digits are Latin, which all of them
 * read.
 */
export function separatorsOf(locale: string): Separators {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: "latn" }).formatToParts(0.5);
  const decimal = parts.find(({ type }) => type === "decimal")?.value ?? ".";
  // Windows separates lists with semicolons where the comma is the decimal mark, and always in Switzerland.
  const { region } = new Intl.Locale(locale);
  return { decimal, column: decimal === "," || region === "CH" || region === "LI" ? ";" : "," };
}

/** Names and descriptions of the formats. */
export const FORMAT_WORDS: Record<ExportFormat, { label: string; description: string }> = {
  csv: { label: "CSV", description: "For programs: the API’s names and codes, times in UTC" },
  csv_excel: { label: "CSV for Excel", description: "Your separators, words instead of codes, local times" },
  xlsx: { label: "Excel workbook", description: "An .xlsx file: numbers and dates as such, in any language" },
};
