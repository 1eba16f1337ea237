import "@/lib/server/load-environment";
import { createStaff, unlockStaff } from "@/lib/domain/support/staff";
import { serviceAddress } from "@/lib/server/address";
import { command, type Main, runProgram, UsageError } from "@/lib/server/cli";

export const main: Main = command({
  usage: "npm run create-staff -- --email EMAIL [--name NAME | --unlock] [--json]",
  createsDatabase: true,
  options: {
    email: { type: "string" },
    name: { type: "string" },
    unlock: { type: "boolean" },
    json: { type: "boolean" },
  },
  required: ["email"],
  async run({ service }, values, { stdout }) {
    const email = String(values.email);
    if (values.unlock) {
      if (values.name !== undefined) throw new UsageError("--unlock takes no --name.");
      const unlocked = await unlockStaff(service, { email });
      const sentence = `${unlocked.email} can sign in again, with the same password and authenticator app.`;
      stdout.write(`${values.json ? JSON.stringify(unlocked) : sentence}\n`);
      return;
    }
    const staff = await createStaff(service, {
      email,
      name: values.name === undefined ? undefined : String(values.name),
    });
    stdout.write(values.json ? `${JSON.stringify(staff)}\n` : readable(staff));
  },
});

await runProgram(import.meta.url, main);

function readable(made: Awaited<ReturnType<typeof createStaff>>): string {
  const { recovery_codes, ...facts } = made;
  const lines = Object.entries(facts).map(([name, value]) => `${name.padEnd(14)} ${value}`);
  return `${lines.join("\n")}
recovery codes ${recovery_codes.join("\n               ")}

Add the secret to an authenticator app, then sign in at ${serviceAddress()}/support.
None of this can be shown again.
`;
}
