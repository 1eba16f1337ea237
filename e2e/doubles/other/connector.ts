import { z } from "zod";
import type { Sql } from "@/db/client";
import { type Connector, connector } from "@/lib/processor/connector";
import type { Outcome, Processor } from "@/lib/processor/port";
import { createOtherProcessor, type OtherOptions } from "./processor";
import { findToken } from "./store";

/** The card behind one of the processor's own tokens, known only after a charge. */
const OWN_CARD = { brand: "visa", bin: "424242", last4: "4242", exp_month: 12, exp_year: 2040 } as const;

/** Keys are `<mode>_<account>_<anything>`; keys of the accounts "closed" and "away" fail. */
const credentials = z.object({
  key: z.string().regex(/^(test|live)_[a-z0-9]+_\w+$/, "A key begins with test_ or live_."),
  signing: z.string().min(4, "A signing secret has four or more characters.").optional(),
});

/** The other processor's connector, as merchants and operators use it. */
export function otherConnector(sql: Sql, options: Omit<OtherOptions, "sql"> = {}): Connector {
  return connector({
    key: "other",
    label: "Other",
    fields: [
      { name: "key", label: "API key", help: "Under Keys.", secret: true, webhook: false, setting: "OTHER_KEY" },
      {
        name: "signing",
        label: "Signing secret",
        help: "At the address.",
        secret: true,
        webhook: true,
        setting: "OTHER_SIGNING",
      },
    ],
    credentials,
    webhook: { where: "Add an address under Messages.", events: ["news"], accepted: "[taken]" },
    hint: ({ key }) => `${key.split("_").slice(0, 1).join("_")}…${key.slice(-4)}`,
    create: ({ name, credentials: { key, signing }, settings }) => {
      const [mode = "", account = ""] = key.split("_");
      const processor = createOtherProcessor({ sql, ...options });
      const withCard = async (outcome: Promise<Outcome>): Promise<Outcome> => {
        const answer = await outcome;
        return answer.kind === "approved" || answer.kind === "declined"
          ? { ...answer, note: `code 00 at ${account}`, card: OWN_CARD }
          : answer;
      };
      return {
        ...processor,
        name,
        capabilities: { ...processor.capabilities, rawCards: settings.rawCards, ownTokens: true },
        authorize: (request) => withCard(processor.authorize(request)),
        async acceptToken(environment, token) {
          const found = await findToken(sql, token, environment);
          return found && { token, brand: null, bin: null, last4: null, exp_month: null, exp_year: null };
        },
        async checkConnection() {
          if (account === "closed") return { kind: "refused", reason: "The account is closed. Open another one." };
          if (account === "away") return { kind: "unreachable", reason: "Other could not be reached. Try again." };
          return { kind: "works", id: account, account: `account ${account}`, live: mode === "live" };
        },
        reports: reportsOf(processor, signing),
      };
    },
  });
}

function reportsOf({ reports }: Processor, signing: string | undefined): Processor["reports"] {
  if (reports.kind !== "pushed") throw new Error("it pushes its reports");
  if (signing !== undefined) return reports;
  const refuse = () => {
    throw new Error("messages cannot be checked yet");
  };
  return { kind: "pushed", read: refuse };
}
