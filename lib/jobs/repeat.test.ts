import { expect, test } from "vitest";
import type { Service } from "@/lib/domain/context";
import { createLogger } from "@/lib/log";
import { repeat } from "./jobs";

const service = { log: createLogger({ level: "silent" }) } as Service;

test("a job that goes on for long learns that it is to stop, and is waited for", async () => {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let runs = 0;
  let ended = false;
  const job = repeat(service, "long", 1, async (stopping) => {
    runs++;
    begin();
    await new Promise<void>((resolve) => stopping.addEventListener("abort", () => resolve()));
    await new Promise<void>((resolve) => setImmediate(resolve));
    ended = true;
    return 1;
  });
  await begun;
  await job.stop();
  expect({ runs, ended }).toEqual({ runs: 1, ended: true });
});
