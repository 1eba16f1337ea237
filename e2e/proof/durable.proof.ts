import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { startEmbedded } from "@/db/embedded";
import { migrate } from "@/db/migrate";
import { connectSandboxStore } from "@/db/queries/sandbox/processor";
import { newId } from "@/lib/ids";
import type { Outcome } from "@/lib/processor/port";
import { createSandboxProcessor } from "@/lib/processor/sandbox";
import { createSecret } from "@/lib/secret";
import { CALLED, inquiry } from "../fixtures/scripted-processor";
import { CARDS, type CardName } from "./client";
import { connectEmbedded, crashPostgres, slowLogWriter } from "./embedded";

/** Only commits that wait for the write-ahead log write it, so the very next crash shows what was lost. */
test("an outcome of any kind from the processor survives a kill of PostgreSQL at that moment", async ({ expect }) => {
  mkdirSync(process.env.DATA_DIR ?? tmpdir(), { recursive: true });
  const dataDir = mkdtempSync(join(process.env.DATA_DIR ?? tmpdir(), "cardlane-durable-"));
  const server = await startEmbedded({ dataDir });
  const db = connectEmbedded(dataDir);
  const store = connectSandboxStore({ url: server.url }, 2);
  onTestFinished(async () => {
    await Promise.all([db.close(), store.end({ timeout: 1 })]);
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  await migrate(server.url);
  await slowLogWriter(db);
  const processor = createSandboxProcessor({ sql: store, secret: createSecret("a secret that only the tests know!!") });
  const account = newId();
  const terms = () => ({ ...CALLED, reference: newId(), account, notAfter: new Date(Date.now() + 120_000) });

  /** Kills the database right after the call's response, before anything else is written. */
  async function surely(call: Promise<Outcome>, reference: string): Promise<Outcome> {
    const outcome = await call;
    crashPostgres(dataDir, "kill all");
    const answers = () => processor.inquire(inquiry(reference)).then(() => "it answers", String);
    await expect.poll(answers, { timeout: 60_000, interval: 50 }).toBe("it answers");
    expect(await processor.inquire(inquiry(reference))).toEqual(outcome);
    return outcome;
  }

  async function authorize(card: CardName, capture: boolean): Promise<string> {
    const { token } = await processor.tokenize(account, {
      number: CARDS[card],
      exp_month: 12,
      exp_year: 2040,
      cvv: "123",
    });
    const request = { ...terms(), token, amount: 10_000, currency: "USD", capture, customerEmail: null };
    await surely(
      processor.authorize({ ...request, billingAddress: null, description: null, metadata: {} }),
      request.reference,
    );
    return request.reference;
  }
  const follow = (kind: "capture" | "void" | "refund", authorization: string) => {
    const request = { ...terms(), authorization, amount: 10_000, currency: "USD", reason: null };
    return surely(processor[kind](request), request.reference);
  };

  const held = await authorize("good", false);
  expect(await follow("capture", held)).toEqual({ kind: "approved" });
  expect(await follow("refund", held)).toEqual({ kind: "approved" });
  expect(await follow("void", await authorize("good", false))).toEqual({ kind: "approved" });
  const challenge = { ...terms(), authorization: await authorize("challenge", true), challenge: "passed" as const };
  const continued = await surely(processor.continueAuthorization(challenge), challenge.reference);
  expect(continued).toEqual({ kind: "approved" });
  await authorize("declined", true);
});
