import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Database } from "@/db/client";
import type { Dispute } from "@/lib/contract/disputes/dispute";
import { decodeId } from "@/lib/contract/ids";
import { testDatabase } from "../fixtures/database";
import { aFile } from "../samples";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { type Answer, Client, isFinal, paymentBody, paymentOf } from "./client";
import { reportFigure } from "./figures";
import { type ProofHost, startHost } from "./host";
import { killInTurn } from "./kills";
import { type ProcessorName, runProcessor, stripeDoubleOf } from "./processors";
import { createTenant } from "./tenant";

const KILLS = Number(process.env.PROOF_KILLS ?? 8);
const LANES = 4;
const GIVE_UP_MS = 120_000;
const NOTES = { won: "winning_evidence", lost: "losing_evidence" } as const;
const ENDS = ["won", "lost", "accepted"] as const;
type End = (typeof ENDS)[number];
const FINAL: Record<End, Dispute["status"]> = { won: "WON", lost: "LOST", accepted: "ACCEPTED" };
const EVENT_OF: Record<End, string> = { won: "dispute.won", lost: "dispute.lost", accepted: "dispute.accepted" };

/** Repeats a call until a live host has responded; the other may be dead. */
async function persist<T>(call: () => Promise<T | null>): Promise<T> {
  const deadline = Date.now() + GIVE_UP_MS;
  let last: unknown = null;
  while (Date.now() < deadline) {
    try {
      const result = await call();
      if (result !== null) return result;
    } catch (error) {
      last = error;
    }
    await wait(50);
  }
  throw new Error(`no answer within ${GIVE_UP_MS} ms`, { cause: last });
}

function requireStatus({ status, text }: Answer, wanted: number): void {
  if (status !== wanted) throw new Error(`${status} instead of ${wanted}: ${text}`);
}

/** A merchant that is disputed, and ends each dispute one way after another. */
class Disputes {
  readonly ended: { id: string; end: End }[] = [];
  /** Payments that failed because a kill ended them before they reached the processor. */
  killedPayments = 0;
  failure: unknown = null;
  #stopped = false;
  readonly #lanes: Promise<void>[];

  constructor(
    readonly client: Client,
    readonly decide: (dispute: Dispute, end: "won" | "lost") => void,
  ) {
    this.#lanes = Array.from({ length: LANES }, (_, lane) => this.#run(lane));
    for (const lane of this.#lanes) {
      lane.catch((error: unknown) => {
        this.failure ??= error;
      });
    }
  }

  async goesOn(): Promise<void> {
    const before = this.ended.length;
    await persist(async () => (this.failure !== null || this.ended.length > before ? true : null));
    if (this.failure !== null) throw this.failure;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#lanes);
  }

  async #run(lane: number): Promise<void> {
    for (let number = lane; !this.#stopped; number++) await this.#disputed(ENDS[number % ENDS.length] as End);
  }

  async #disputed(end: End): Promise<void> {
    const post = (path: string, body: object) => this.client.until({ key: randomUUID(), path, body }, GIVE_UP_MS);
    const created = await post("/v1/payments", paymentBody({ card: "disputed" }));
    // A kill can end a payment before it reaches the processor, and that response is final.
    if (created.status === 402 && created.code === "payment_failed") {
      this.killedPayments++;
      return;
    }
    requireStatus(created, 201);
    const { id: paymentId } = paymentOf(created);
    const { id } = await persist(async () => {
      const { data } = await this.client.get<{ data: Dispute[] }>(`/v1/disputes?payment_id=${paymentId}`);
      return data[0] ?? null;
    });
    if (end === "accepted") {
      const accepted = await post(`/v1/disputes/${id}/accept`, {});
      requireStatus(accepted, 200);
    } else {
      await this.#save(id, NOTES[end]);
      const submitted = await post(`/v1/disputes/${id}/submit`, {});
      requireStatus(submitted, 200);
      const dispute = JSON.parse(submitted.text) as Dispute;
      if (dispute.status === "UNDER_REVIEW") this.decide(dispute, end);
      await persist(async () => {
        const now = await this.client.get<Dispute>(`/v1/disputes/${id}`);
        return now.status === FINAL[end] ? now : null;
      });
    }
    this.ended.push({ id, end });
  }

  /** Saves texts and a file; a request that died is repeated. */
  async #save(id: string, notes: string): Promise<void> {
    const headers = { "X-Api-Key": this.client.apiKey };
    const uploadKey = { ...headers, "X-Idempotency-Key": randomUUID() };
    const file = await persist(async () => {
      const answer = await this.client.send("/v1/files", { method: "POST", headers: uploadKey, body: aFile() });
      return answer.status === 201 ? (JSON.parse(answer.text) as { id: string }) : null;
    });
    const body = JSON.stringify({ evidence: { notes, files: [file.id] } });
    const saved = await persist(async () => {
      const init = { method: "PATCH", headers: { ...headers, "Content-Type": "application/json" }, body };
      const answer = await this.client.send(`/v1/disputes/${id}`, init);
      return isFinal(answer) ? answer : null;
    });
    requireStatus(saved, 200);
  }
}

/** Facts at both sides about each of the merchant's disputes. */
async function factsOf(db: Database, environmentId: string) {
  const rows = await db.sql<
    { id: string; processor_dispute_id: string; status: string; response_id: string; open: boolean; events: string[] }[]
  >`
    select d.id, d.processor_dispute_id, d.status, d.response_id, d.response_due_at is not null as open,
      array(select e.type from events e where e.environment_id = d.environment_id and e.object_id = d.id
        and e.type <> 'dispute.updated' order by e.sequence) as events
    from disputes d where d.environment_id = ${environmentId}`;
  return new Map(rows.map((row) => [row.id, row]));
}

test.each<ProcessorName>(["sandbox", "stripe"])(
  `after ${KILLS} kills (-9) during disputes at %s each has one response, one end and one booking`,
  async (name) => {
    const { db, url } = await testDatabase({ own: true });
    const hosts: ProofHost[] = [];
    let turn = 0;
    const address = () => (hosts[turn++ % 2] as ProofHost).baseUrl;
    const tenant = await createTenant(db);
    const { environmentId } = tenant;
    const running = await runProcessor(db, address, name);
    const double = stripeDoubleOf(db);
    try {
      const { env } = running;
      hosts.push(...(await Promise.all([1, 2].map(() => startHost({ databaseUrl: url, env })))));
      const disputes = new Disputes(new Client(tenant.apiKey, address), ({ processor_id }, end) =>
        double?.books.endDispute(processor_id, end),
      );
      await killInTurn(hosts, KILLS, { goesOn: () => disputes.goesOn(), start: { databaseUrl: url, env } });
      await disputes.stop();
      await untilNothingIsOpen(db);
      reportFigure(
        `${name}: ${KILLS} kills, ${disputes.ended.length} disputes`,
        `${disputes.client.requests} requests`,
      );
      expect(disputes.ended.length).toBeGreaterThanOrEqual(KILLS);
      expect(disputes.killedPayments).toBeLessThanOrEqual(KILLS * LANES);
      const facts = await factsOf(db, environmentId);
      expect(facts.size).toBe(disputes.ended.length);
      for (const { id, end } of disputes.ended) {
        const ours = facts.get(decodeId("dispute", id) ?? "");
        const events = ["dispute.opened", ...(end === "accepted" ? [] : ["dispute.evidence_submitted"]), EVENT_OF[end]];
        expect(ours, id).toMatchObject({ status: FINAL[end], open: false, events });
        const processorId = ours?.processor_dispute_id ?? "";
        if (double) {
          const { status, evidence_details } = double.books.disputes.get(processorId) ?? {};
          expect([status, evidence_details?.submission_count], id).toEqual(end === "accepted" ? ["lost", 0] : [end, 1]);
        } else {
          const theirs = await db.sql`
          select status, response::text as response from sandbox_processor.disputes where id = ${processorId}`;
          expect([...theirs], id).toEqual([{ status: end, response: ours?.response_id }]);
        }
      }
      await expectCleanBooks(db);
    } finally {
      await running.stop();
      await Promise.all(hosts.map((host) => host.stop()));
    }
  },
);
