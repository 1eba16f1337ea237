import { expect, test } from "vitest";
import type { Rows } from "./connection";
import { type ReplicaPools, Replicas } from "./replicas";
import type { StatementPool } from "./statements";

const positions = (read: () => number): Pick<StatementPool, "run" | "end"> => ({
  run: async () => {
    const position = read();
    return [{ position, received: position, timeline: 1, system: "s", instance: "i" }] as unknown as Rows;
  },
  end: async () => {},
});

const NAMES = ["crossing_sql", "crossing_orm", "environment_sql", "environment_orm", "long"] as const;
const poolsOf = () =>
  Object.fromEntries(NAMES.map((name) => [name, { end: async () => {} }])) as unknown as ReplicaPools;

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("of two replicas, reads go to the one that has caught up, in turn, and never to the other one", async () => {
  const at = { primary: 10, "one:5432": 10, "two:5432": 10 };
  const opened = new Map<string, ReplicaPools>();
  const time = { ms: 0, check: () => {} };
  const replicas = new Replicas({
    hosts: ["one", "two"].map((host) => ({ host, port: 5432, label: `${host}:5432` })),
    primary: positions(() => at.primary),
    openCheck: ({ label }) => positions(() => at[label as keyof typeof at]),
    openPools: ({ label }) => {
      const pools = poolsOf();
      opened.set(label, pools);
      return pools;
    },
    log: { warn: () => {} },
    timer: {
      awakeMs: () => time.ms,
      elapsedMs: () => time.ms,
      wait: async (ms) => {
        time.ms += ms;
        await settled();
      },
      every: (_, call) => {
        time.check = call;
        return () => {};
      },
    },
  });
  for (let checks = 0; checks < 3; checks++) {
    await settled();
    time.check();
  }
  await settled();
  expect([...opened.keys()]).toEqual(["one:5432", "two:5432"]);
  const read = async () => {
    const found = await replicas.caughtUp();
    return [...opened.keys()].find((label) => opened.get(label) === found?.pools) ?? null;
  };
  expect([await read(), await read()]).toEqual(["one:5432", "two:5432"]);
  at.primary = 11;
  at["one:5432"] = 11;
  // The primary serves the reads that the other replica would get next.
  expect([await read(), await read(), await read()]).toEqual(["one:5432", null, "one:5432"]);
  await replicas.end(0);
});
