// The proofs of `npm test`, but longer: `model`: 500 random histories. `kill`: kill -9 of the service, whole and as `npm
// start` runs it, 200 times, and as many crashes of PostgreSQL, of three kinds; another number may follow. `checkout`: 400
// payment sessions, or another number, while the whole service is killed 40 times. `storm`: 25 minutes, or another number, of
// everything at once that can happen to processes, database, pooler and clocks. `outages`: every page and route without the
// database, a standby that is promoted, processes that are stopped and go on, a full disk. `looks`: every page wide and narrow,
// light and dark, and every card on both widths of the sample shop. `card-data`: 20 spellings at every place instead of one,
// also through Next's own server; a seed that was printed may follow. `webhooks`: 10,000 events, or another number, to receivers
// of which a third are broken, while processes are killed and their clock is moved on by four days.
// `processor`: the model and 40 kills, or another number, behind a processor that works the other way round and behind the
// connectors to Stripe and Adyen with doubles of their APIs; and the API behind each.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));

function prove(files, env) {
  const args = [vitest, "run", "--project", "proof", "--testTimeout", "7200000", ...files];
  return spawnSync(process.execPath, args, { stdio: "inherit", env: { ...process.env, ...env } }).status ?? 1;
}

function inPlaywright(args, env) {
  const playwright = fileURLToPath(new URL("../node_modules/@playwright/test/cli.js", import.meta.url));
  const all = [playwright, "test", ...args];
  return spawnSync(process.execPath, all, { stdio: "inherit", env: { ...process.env, ...env } }).status ?? 1;
}

const [what, number] = process.argv.slice(2);
switch (what) {
  case "model":
    process.exitCode = prove(["e2e/proof/model.proof.ts"], { PROOF_RUNS: number ?? "500" });
    break;
  case "kill": {
    const kills = Number(number ?? 200);
    process.exitCode =
      prove(["e2e/proof/kill-service.proof.ts"], { PROOF_HOST: "service", PROOF_KILLS: String(kills) }) ||
      prove(["e2e/proof/kill-postgres.proof.ts"], { PROOF_HOST: "service", PROOF_CRASHES: String(kills) });
    break;
  }
  case "processor": {
    const behind = (name, proof) =>
      prove(
        [proof, "model", "kill-service"].map((file) => `e2e/proof/${file}.proof.ts`),
        { PROOF_PROCESSOR: name, PROOF_RUNS: "200", PROOF_KILLS: number ?? "40" },
      );
    process.exitCode =
      behind("other", "processor") ||
      behind("stripe", "stripe") ||
      behind("adyen", "adyen") ||
      inPlaywright(
        ["other", "stripe", "adyen"].flatMap((name) => ["--project", name]),
        { EVERY_PROCESSOR: "1" },
      );
    break;
  }
  case "checkout":
    process.exitCode = prove(["e2e/proof/checkout.proof.ts"], {
      PROOF_HOST: "service",
      PROOF_SESSIONS: number ?? "400",
      PROOF_KILLS: "40",
    });
    break;
  case "card-data":
    process.exitCode = prove(["e2e/proof/card-data.proof.ts"], {
      PROOF_CARD_ROUNDS: "3",
      PROOF_CARD_SPELLINGS: "5",
      ...(number !== undefined && { PROOF_SEED: number }),
    });
    break;
  case "webhooks":
    process.exitCode = prove(["e2e/proof/webhooks.proof.ts"], {
      PROOF_EVENTS: number ?? "10000",
      PROOF_KILLED_ROUNDS: "1000",
    });
    break;
  case "storm":
    process.exitCode = prove(["e2e/proof/storm.proof.ts"], { STORM_MINUTES: number ?? "25" });
    break;
  case "simulation": {
    const given = Object.fromEntries(
      process.argv.slice(3).flatMap((name, i, all) => (name.startsWith("--") ? [[name.slice(2), all[i + 1]]] : [])),
    );
    process.exitCode = prove(["e2e/proof/simulation.proof.ts"], {
      ...(given.seed === undefined ? { SIMULATION_SEEDS: given.seeds ?? "2000" } : { SIMULATION_SEED: given.seed }),
      ...(given.seed !== undefined && given.seeds !== undefined && { SIMULATION_SEEDS: given.seeds }),
    });
    break;
  }
  case "outages":
    process.exitCode = prove(
      ["outages", "standby", "pauses", "disk-full"].map((name) => `e2e/proof/${name}.long.ts`),
      { PROOF_LONG: "1" },
    );
    break;
  case "looks":
    process.exitCode = inPlaywright(["every-page", "docs/pages", "demo/cards"], { EVERY_LOOK: "1" });
    break;
  default:
    console.error(
      "Usage: node scripts/prove-more.mjs model [histories] | kill [kills] | processor [kills] | checkout [sessions] | storm [minutes] | simulation --seeds N or --seed S | card-data [seed] | webhooks [events] | outages | looks",
    );
    process.exitCode = 2;
}
