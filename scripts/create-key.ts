import "@/lib/server/load-environment";
import { encodeId } from "@/lib/contract/ids";
import { PERMISSIONS, type Permission } from "@/lib/contract/permissions";
import { MODES, type Mode } from "@/lib/contract/transactions/words";
import { getEnvironmentId } from "@/lib/domain/accounts/business";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import { command, type Main, runProgram, UsageError } from "@/lib/server/cli";

export const main: Main = command({
  usage:
    "npm run create-key -- --merchant ID --mode test|live --name NAME --permissions payment.create,transaction.read [--json]",
  options: {
    merchant: { type: "string" },
    mode: { type: "string" },
    name: { type: "string" },
    permissions: { type: "string" },
    json: { type: "boolean" },
  },
  required: ["merchant", "mode", "name", "permissions"],
  async run({ service }, values, { stdout }) {
    const mode = readMode(String(values.mode));
    const permissions = readPermissions(String(values.permissions));
    const environmentId = await getEnvironmentId(service, { merchantId: String(values.merchant), mode });
    const { row, secret } = await createApiKey(service, { environmentId, name: String(values.name), permissions });
    const output = { id: encodeId("apiKey", row.id), key: secret };
    stdout.write(values.json ? `${JSON.stringify(output)}\n` : `id   ${output.id}\nkey  ${output.key}\n`);
  },
});

await runProgram(import.meta.url, main);

function readMode(text: string): Mode {
  const mode = MODES.find((known) => known === text);
  if (!mode) throw new UsageError(`--mode must be test or live, not '${text}'.`);
  return mode;
}

function readPermissions(list: string): Permission[] {
  return list.split(",").map((text) => {
    const permission = PERMISSIONS.find((known) => known === text.trim());
    if (!permission)
      throw new UsageError(`There is no permission '${text.trim()}'. The permissions are ${PERMISSIONS.join(", ")}.`);
    return permission;
  });
}
