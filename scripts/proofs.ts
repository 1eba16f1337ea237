import { type Env, playwright, script, vitest } from "./steps";

/**
 * The proofs: a smoke for `npm test`, short forms for `npm run prove`, long ones for `npm run prove:NAME`.
 */

export type Run = { args: string[]; env: Env };

type Proof = {
  /** The NAME in `npm run prove:NAME`. */
  name: string;
  /** The runs of `npm run prove`; empty if it only has the long form. */
  short: Run[];
  /** The runs of `npm run prove:NAME -- ARGUMENTS`; absent if the short form is the only one. */
  long?: (...args: string[]) => Run[];
};

const TWO_HOURS_MS = 7_200_000;

/** Runs files of `e2e/proof` in one run of Vitest. */
const proof = (files: string[], env: Env = {}): Run => ({
  args: vitest("--project", "proof", ...files.map((file) => `e2e/proof/${file}`)),
  env,
});

const long = (files: string[], env: Env = {}): Run => {
  const { args } = proof(files);
  return { args: [...args, "--testTimeout", String(TWO_HOURS_MS)], env: { ...env, PROOF_LONG: "1" } };
};

const browser = (args: string[], env: Env = {}): Run => ({ args: playwright(...args), env });
const projects = (...names: string[]) => names.flatMap((name) => ["--project", name]);

/** For `npm test`: a few races, random histories, kills and simulated worlds. */
export const SMOKE: Run = proof(
  ["concurrency.proof.ts", "model.proof.ts", "subscriptions.proof.ts", "kill-service.proof.ts", "simulation.proof.ts"],
  {
    PROOF_HISTORIES: "20",
    PROOF_KEYS: "24",
    PROOF_PAYMENTS: "6",
    PROOF_RUNS: "12",
    PROOF_KILLS: "3",
    SIMULATION_SEEDS: "50",
  },
);

/** Random histories and kills of a service whose payments go to a double of a processor. */
const BEHIND = ["model.proof.ts", "kill-service.proof.ts"];
const behind = (name: string, histories: string, kills: string): Env => ({
  PROOF_PROCESSOR: name,
  PROOF_RUNS: histories,
  PROOF_KILLS: kills,
});

/** `--seeds N`: N worlds. `--seed S`: world S, step by step. Both: N worlds from S on. */
function worlds(...args: string[]): Env {
  const value = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const [seeds, seed] = [value("--seeds"), value("--seed")];
  if (seed === undefined) return { SIMULATION_SEEDS: seeds ?? "2000" };
  return { SIMULATION_SEED: seed, ...(seeds !== undefined && { SIMULATION_SEEDS: seeds }) };
}

export const PROOFS: Proof[] = [
  { name: "concurrency", short: [proof(["concurrency.proof.ts", "keys.proof.ts"])] },
  {
    name: "model",
    short: [proof(["model.proof.ts"], { PROOF_RUNS: "50" })],
    long: (histories = "500") => [long(["model.proof.ts"], { PROOF_RUNS: histories })],
  },
  {
    name: "subscriptions",
    short: [proof(["subscriptions.proof.ts"], { PROOF_HISTORIES: "60" })],
    long: (histories = "300") => [long(["subscriptions.proof.ts"], { PROOF_HISTORIES: histories })],
  },
  {
    name: "renewals",
    short: [proof(["renewals.proof.ts", "kill-renewals.proof.ts"])],
    long: (subscribers = "500", months = "24", kills = "60") => [
      long(["renewals.proof.ts"], { PROOF_SUBSCRIBERS: subscribers, PROOF_MONTHS: months }),
      long(["kill-renewals.proof.ts"], { PROOF_KILLS: kills }),
    ],
  },
  {
    name: "disputes",
    short: [proof(["disputes.proof.ts"], { PROOF_KILLS: "5" })],
    long: (kills = "40") => [long(["disputes.proof.ts"], { PROOF_KILLS: kills })],
  },
  {
    name: "approvals",
    short: [proof(["kill-approvals.proof.ts"])],
    long: (kills = "60") => [long(["kill-approvals.proof.ts"], { PROOF_KILLS: kills })],
  },
  {
    name: "simulation",
    short: [proof(["simulation.proof.ts"], { SIMULATION_SEEDS: "500" })],
    long: (...args) => [long(["simulation.proof.ts"], worlds(...args))],
  },
  {
    name: "kill",
    short: [proof(["kill-service.proof.ts", "kill-postgres.proof.ts", "durable.proof.ts"])],
    long: (kills = "200") => [
      long(["kill-service.proof.ts"], { PROOF_HOST: "service", PROOF_KILLS: kills }),
      long(["kill-postgres.proof.ts"], { PROOF_HOST: "service", PROOF_CRASHES: kills }),
    ],
  },
  {
    name: "checkout",
    short: [proof(["checkout.proof.ts"])],
    long: (sessions = "400") => [
      long(["checkout.proof.ts"], { PROOF_HOST: "service", PROOF_SESSIONS: sessions, PROOF_KILLS: "40" }),
    ],
  },
  {
    name: "processor",
    short: [
      proof(["faults.proof.ts", "processor.proof.ts"]),
      proof(BEHIND, behind("other", "8", "4")),
      proof(BEHIND, behind("stripe", "4", "3")),
      proof(BEHIND, behind("adyen", "4", "3")),
      browser(projects("other", "stripe", "adyen")),
    ],
    long: (kills = "40") => [
      long(["processor.proof.ts", ...BEHIND], behind("other", "200", kills)),
      long(BEHIND, behind("stripe", "200", kills)),
      long(BEHIND, behind("adyen", "200", kills)),
      browser(projects("other", "stripe", "adyen"), { EVERY_PROCESSOR: "1" }),
    ],
  },
  {
    name: "webhooks",
    short: [proof(["webhooks.proof.ts"])],
    long: (events = "10000") => [long(["webhooks.proof.ts"], { PROOF_EVENTS: events, PROOF_KILLED_ROUNDS: "1000" })],
  },
  {
    name: "isolation",
    short: [proof(["isolation.proof.ts"], { PROOF_ROWS: "200000" })],
    long: (rows = "1000000") => [long(["isolation.proof.ts"], { PROOF_ROWS: rows })],
  },
  {
    name: "card-data",
    short: [proof(["card-data.proof.ts"])],
    long: (seed) => [
      long(["card-data.proof.ts"], {
        PROOF_CARD_ROUNDS: "3",
        PROOF_CARD_SPELLINGS: "5",
        ...(seed !== undefined && { PROOF_SEED: seed }),
      }),
    ],
  },
  { name: "reports", short: [proof(["reports.proof.ts"])] },
  {
    name: "outages",
    short: [proof(["silence.proof.ts", "starts.proof.ts", "pages.proof.ts", "production.proof.ts"])],
    long: () => [long(["outages", "replicas", "pauses", "disk-full"].map((name) => `${name}.long.ts`))],
  },
  {
    name: "failover",
    short: [],
    // One of the two runs: Patroni, or where it is not installed a stand-in that promotes.
    long: (failovers = "20") => [long(["patroni.long.ts", "failover.long.ts"], { PROOF_FAILOVERS: failovers })],
  },
  { name: "restore", short: [proof(["restore.proof.ts"])] },
  {
    name: "storm",
    short: [proof(["storm.proof.ts"], { STORM_MINUTES: "1" })],
    long: (minutes = "25") => [long(["storm.proof.ts"], { STORM_MINUTES: minutes })],
  },
  { name: "next", short: [browser(projects("next"))] },
  {
    name: "looks",
    short: [browser([], { EVERY_LOOK: "1" })],
  },
  { name: "install", short: [{ args: script("prove-install.ts"), env: {} }] },
  {
    name: "mutants",
    short: [{ args: script("prove-mutants.mjs", "--every", "12"), env: {} }],
    long: (...args) => [{ args: script("prove-mutants.mjs", ...args), env: {} }],
  },
];
