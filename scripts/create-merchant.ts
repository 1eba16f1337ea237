import "@/lib/server/load-environment";
import { createMerchant } from "@/lib/domain/accounts/business";
import { serviceAddress } from "@/lib/server/address";
import { runCommand } from "@/lib/server/cli";

await runCommand({
  usage: "npm run create-merchant -- --name NAME --email EMAIL [--password PASSWORD] [--json]",
  options: {
    name: { type: "string" },
    email: { type: "string" },
    password: { type: "string" },
    json: { type: "boolean" },
  },
  required: ["name", "email"],
  async run({ service }, values) {
    const made = await createMerchant(service, {
      name: String(values.name),
      email: String(values.email),
      password: values.password === undefined ? undefined : String(values.password),
    });
    const answer = { ...made, base_url: serviceAddress() };
    if (values.json) process.stdout.write(`${JSON.stringify(answer)}\n`);
    else for (const [name, value] of Object.entries(answer)) process.stdout.write(`${name.padEnd(12)} ${value}\n`);
  },
});
