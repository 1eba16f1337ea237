import { readFileSync, statSync } from "node:fs";
import type { StatementFile } from "@/lib/processor/records";
import { UsageError } from "./cli";

/** Total size limit. All files and their parsed rows are in memory: 0.5 GB for about 180,000 lines. */
const MAX_STATEMENT_BYTES = 32 * 1024 * 1024;

/** Reads report files that an operator specifies. Throws UsageError if one can't be read. */
export function readStatementFiles(paths: readonly string[]): StatementFile[] {
  let total = 0;
  for (const path of paths) {
    total += sizeOf(path);
    if (total > MAX_STATEMENT_BYTES)
      throw new UsageError(
        `${path} is too large: at most ${MAX_STATEMENT_BYTES / 1024 / 1024} MB are read at once. Give a report of fewer days.`,
      );
  }
  return paths.map((name) => ({ name, bytes: readOrRefuse(name, () => readFileSync(name)) }));
}

function sizeOf(path: string): number {
  const stats = readOrRefuse(path, () => statSync(path));
  if (!stats.isFile()) throw new UsageError(`${path} is no file.`);
  return stats.size;
}

function readOrRefuse<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(
      code === "ENOENT" ? `There is no file ${path}.` : `The file ${path} cannot be read (${code}).`,
    );
  }
}
