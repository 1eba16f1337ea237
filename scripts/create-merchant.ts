import "@/lib/server/load-environment";
import { createMerchant } from "@/lib/domain/accounts/business";
import { serviceAddress } from "@/lib/server/address";
import { command, type Main, runProgram } from "@/lib/server/cli";

export const main: Main = command({
  usage: "npm run create-merchant -- --name NAME --email EMAIL [--password PASSWORD] [--json]",
  createsDatabase: true,
  options: {
    name: { type: "string" },
    email: { type: "string" },
    password: { type: "string" },
    json: { type: "boolean" },
  },
  required: ["name", "email"],
  async run({ service }, values, { stdout }) {
    const merchant = await createMerchant(service, {
      name: String(values.name),
      email: String(values.email),
      password: values.password === undefined ? undefined : String(values.password),
    });
    const output = { ...merchant, base_url: serviceAddress() };
    if (values.json) stdout.write(`${JSON.stringify(output)}\n`);
    else for (const [name, value] of Object.entries(output)) stdout.write(`${name.padEnd(12)} ${value}\n`);
  },
});

await runProgram(import.meta.url, main);
