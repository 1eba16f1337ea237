import "@/lib/server/load-environment";
import { randomBytes } from "node:crypto";
import { type Rotation, rotateSecret } from "@/lib/domain/secret-keys";
import { createSecret } from "@/lib/secret";
import { isServiceRunning } from "@/lib/server/address";
import { command, type Main, runProgram, UsageError } from "@/lib/server/cli";
import type { OpenService } from "@/lib/server/open-service";
import { replacePrivateFile } from "@/lib/server/private-file";

export const main: Main = command({
  usage: "npm run rotate-secret [-- --json]",
  options: { json: { type: "boolean" } },
  async run(opened, values, { stdout }) {
    const { value, previous, file } = opened.secret;
    const secrets = file === null || previous.length > 0 ? [value, ...previous] : addToFile(opened, file, value);
    const [current = "", ...earlier] = secrets;
    if (earlier.length === 0) {
      throw new UsageError(
        "Set CARDLANE_SECRET to a new secret and CARDLANE_SECRET_PREVIOUS to the current one for every process, and restart them first.",
      );
    }
    const rotation = await rotateSecret(opened.service.db.orm, createSecret(current, earlier));
    if (rotation.finished && file !== null) replacePrivateFile(file, `${current}\n`);
    stdout.write(values.json ? `${JSON.stringify(rotation)}\n` : describe(rotation, file));
  },
});

await runProgram(import.meta.url, main);

/**
 * Prepends a new secret to the file. No process that uses the file may run, because each must read it again.
 */
function addToFile(opened: OpenService, file: string, value: string): string[] {
  if (isServiceRunning()) throw new UsageError("Stop Cardlane first: it reads the new secret when it starts again.");
  const added = randomBytes(32).toString("hex");
  replacePrivateFile(file, `${added}\n${value}\n`);
  opened.service.log.info({ file }, "the file has a new secret, and the previous one on its second line");
  return [added, value];
}

function describe({ resealed, waiting, finished }: Rotation, file: string | null): string {
  const moved = `The database is on the new secret; ${resealed} sealed values moved to it.`;
  if (finished) {
    return `${moved} The earlier one is no longer needed: ${file === null ? "remove CARDLANE_SECRET_PREVIOUS" : `it was removed from ${file}`}.\n`;
  }
  const what =
    waiting === 0
      ? "perhaps by a request of the last 25 hours"
      : `by ${waiting} requests, tokens and audit chains of the last 25 hours`;
  return `${moved} The earlier one is still needed, ${what}: run this again after 25 hours${file === null ? ", and keep CARDLANE_SECRET_PREVIOUS until then" : ""}.\n`;
}
