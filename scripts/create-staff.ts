import "@/lib/server/load-environment";
import { createStaff } from "@/lib/domain/people/create-staff";
import { serviceAddress } from "@/lib/server/address";
import { runCommand } from "@/lib/server/cli";

await runCommand({
  usage: "npm run create-staff -- --email EMAIL [--name NAME] [--json]",
  options: {
    email: { type: "string" },
    name: { type: "string" },
    json: { type: "boolean" },
  },
  required: ["email"],
  async run({ service }, values) {
    const made = await createStaff(service, {
      email: String(values.email),
      name: values.name === undefined ? undefined : String(values.name),
    });
    process.stdout.write(values.json ? `${JSON.stringify(made)}\n` : readable(made));
  },
});

function readable(made: Awaited<ReturnType<typeof createStaff>>): string {
  const { recovery_codes, ...facts } = made;
  const lines = Object.entries(facts).map(([name, value]) => `${name.padEnd(14)} ${value}`);
  return `${lines.join("\n")}
recovery codes ${recovery_codes.join("\n               ")}

Add the secret to an authenticator app, then sign in at ${serviceAddress()}/support.
None of this can be shown again.
`;
}
