import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { ApprovalRequest, RequestedAct } from "@/lib/contract/approvals/approvals";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { MerchantRole } from "@/lib/contract/permissions";
import { NO_RULE, updateRule } from "@/lib/domain/approvals/rules";
import { testDatabase } from "../fixtures/database";
import { testContext, testService } from "../fixtures/factories";
import { createTestUser, signIn } from "../fixtures/users";
import { expectCleanBooks, untilNothingIsOpen } from "./books";
import { type Answer, Client, isFinal, paymentBody, paymentOf } from "./client";
import { reportFigure } from "./figures";
import { type ProofHost, startHost } from "./host";
import { createTenant } from "./tenant";

const KILLS = Number(process.env.PROOF_KILLS ?? 12);
const REFUND_LANES = 3;
const AMOUNT = 8_000;
const GIVE_UP_MS = 120_000;
const REQUESTS = "/api/dashboard/test/approval-requests";

type Person = { id: string; cookie: string };
/** `persists`: its approvers repeat the call until they have an answer. Others leave after one try. */
type Decided = { id: string; action: "REFUND" | "BANK_ACCOUNT"; persists: boolean; winner: string | null };

const { db, url } = await testDatabase({ own: true });

/** Repeats a call until a host that lives has answered it. */
async function persist<T>(call: () => Promise<T | null>): Promise<T> {
  let last: unknown = null;
  for (const deadline = Date.now() + GIVE_UP_MS; Date.now() < deadline; await wait(20)) {
    try {
      const result = await call();
      if (result !== null) return result;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`no answer within ${GIVE_UP_MS} ms`, { cause: last });
}

/** A team that requests refunds and bank accounts, each of which two colleagues approve at once. */
class Team {
  readonly decided: Decided[] = [];
  /** Approvals without an answer yet. */
  inFlight = 0;
  #stopped = false;
  readonly #lanes: Promise<void>[];

  constructor(
    readonly client: Client,
    readonly people: { operator: Person; owner: Person; admins: readonly Person[] },
    readonly environmentId: string,
  ) {
    const refunds = Array.from({ length: REFUND_LANES }, (_, lane) => this.#run((n) => this.#refund(lane + n)));
    this.#lanes = [...refunds, this.#run((n) => this.#account(n))];
  }

  /** Waits for an approval in flight, or for the failure of a lane. */
  async untilAmid(): Promise<void> {
    const failed = Promise.all(this.#lanes).then(() => true as const);
    await Promise.race([failed, persist(async () => (this.inFlight > 0 ? true : null))]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#lanes);
  }

  async #run(decide: (number: number) => Promise<void>): Promise<void> {
    for (let number = 0; !this.#stopped; number++) await decide(number);
  }

  async #refund(number: number): Promise<void> {
    const key = crypto.randomUUID();
    const created = await this.client.until({ key, path: "/v1/payments", body: paymentBody() }, GIVE_UP_MS);
    // A kill can end a payment before the processor has it, and that answer is final.
    if (created.status !== 201) return;
    const { id: subject } = paymentOf(created);
    const act = { action: "REFUND", subject, parameters: { amount: AMOUNT }, reason: "The parcel is lost" } as const;
    const id = await this.#request(this.people.operator, act, decodeId("payment", subject) ?? "");
    await this.#decide(id, "REFUND", number % 3 !== 2);
  }

  async #account(number: number): Promise<void> {
    const account_number = String(10_000_000 + number);
    const parameters = { holder: "Shop", bank_name: "Bank", country: "US", account_number };
    const act = { action: "BANK_ACCOUNT", parameters, reason: "We moved" } as const;
    const id = await this.#request(this.people.owner, act, this.environmentId);
    await this.#decide(id, "BANK_ACCOUNT", true);
  }

  /** Requests an act, unless a request whose answer was lost waits already. */
  #request(by: Person, act: RequestedAct, subjectId: string): Promise<string> {
    return persist(async () => {
      const [waiting] = await db.sql<{ id: string }[]>`
        select id from approval_requests where subject_id = ${subjectId} and status = 'PENDING'`;
      if (waiting) return encodeId("approval", waiting.id);
      const answer = await this.#post(REQUESTS, by, act);
      return answer.status === 201 ? (JSON.parse(answer.text) as ApprovalRequest).id : null;
    });
  }

  async #decide(id: string, action: Decided["action"], persists: boolean): Promise<void> {
    const answers = await Promise.all(
      this.people.admins.map(async (admin) => {
        this.inFlight++;
        const approve = async () => {
          const answer = await this.#post(`${REQUESTS}/${id}/approve`, admin);
          return isFinal(answer) ? answer : null;
        };
        try {
          return { by: admin.id, answer: persists ? await persist(approve) : await approve().catch(() => null) };
        } finally {
          this.inFlight--;
        }
      }),
    );
    const winners = answers.filter(({ answer }) => answer?.status === 200);
    const refused = answers.filter(({ answer }) => answer && answer.status !== 200);
    if (refused.some(({ answer }) => answer?.code !== "invalid_state")) throw new Error(JSON.stringify(answers));
    if (winners.length > 1 || (persists && winners.length === 0)) throw new Error(JSON.stringify(answers));
    this.decided.push({ id, action, persists, winner: winners[0]?.by ?? null });
  }

  #post(path: string, by: Person, body?: object): Promise<Answer> {
    const json = body && { "Content-Type": "application/json" };
    return this.client.send(path, {
      method: "POST",
      headers: { Cookie: by.cookie, "Sec-Fetch-Site": "same-origin", ...json },
      ...(body && { body: JSON.stringify(body) }),
    });
  }
}

/** Signed-in members of the tenant's merchant, none of whom may refund or change the bank account alone. */
async function members(environmentId: string) {
  const service = testService(db, { baseUrl: "http://localhost" });
  const [row] = await db.sql<{ merchant_id: string }[]>`
    select merchant_id from environments where id = ${environmentId}`;
  const merchantId = row?.merchant_id ?? "";
  const person = async (role: MerchantRole): Promise<Person> => {
    const { id } = await createTestUser(db, { merchantId, role });
    const { name, value } = await signIn(service, id, "merchant");
    return { id, cookie: `${name}=${value}` };
  };
  const [owner, operator, ...admins] = await Promise.all([
    person("owner"),
    person("operator"),
    person("admin"),
    person("admin"),
  ]);
  const environment = { id: environmentId, mode: "test" as const, merchantId, clock: null };
  const ctx = testContext(service, environment, { actor: { type: "user", id: owner.id } });
  await updateRule(ctx, { action: "REFUND", ...NO_RULE, roles: ["operator"], above_usd: 50 });
  await updateRule(ctx, { action: "BANK_ACCOUNT", ...NO_RULE, roles: ["owner"] });
  return { owner, operator, admins };
}

test(`after ${KILLS} kills (-9) amid approvals each request is carried out once if it is approved, and not at all if it isn't`, async () => {
  const { environmentId, apiKey } = await createTenant(db);
  const people = await members(environmentId);
  const hosts: ProofHost[] = await Promise.all([1, 2].map(() => startHost({ databaseUrl: url })));
  onTestFinished(async () => {
    await Promise.all(hosts.map((host) => host.stop()));
  });
  let turn = 0;
  const client = new Client(apiKey, () => (hosts[turn++ % 2] as ProofHost).baseUrl);
  const team = new Team(client, people, environmentId);
  let amid = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    await wait(Math.random() * 300);
    await team.untilAmid();
    await wait(Math.random() * 15);
    const victims = kill % 3 === 2 ? [0, 1] : [kill % 2];
    if (team.inFlight > 0) amid++;
    await Promise.all(victims.map((victim) => (hosts[victim] as ProofHost).kill("SIGKILL")));
    await Promise.all(
      victims.map(async (victim) => {
        hosts[victim] = await startHost({ databaseUrl: url, port: (hosts[victim] as ProofHost).port });
      }),
    );
  }
  await team.stop();
  await untilNothingIsOpen(db);

  const facts = await db.sql<{ id: string; status: string; decided_by: string | null; done: number; events: number }[]>`
    select r.id, r.status, r.decided_by,
      case r.action
        when 'REFUND' then (select count(*)::int from transactions t where t.environment_id = r.environment_id
          and t.payment_id = r.subject_id and t.type = 'REFUND' and t.status = 'CAPTURED' and t.amount = ${AMOUNT})
        else (select count(*)::int from audit_log a where a.environment_id = r.environment_id
          and a.action = 'settings.bank_account_updated' and a.request_id in (select b.request_id from audit_log b
            where b.environment_id = r.environment_id and b.action = 'approval_request.approved'
            and b.object_id = r.id))
      end as done,
      (select count(*)::int from events e where e.environment_id = r.environment_id and e.object_id = r.id
        and e.type = 'approval_request.approved') as events
    from approval_requests r where r.environment_id = ${environmentId}`;
  const byId = new Map(facts.map((row) => [encodeId("approval", row.id), row]));
  const refunds = team.decided.filter(({ action }) => action === "REFUND").length;
  const open = facts.filter(({ status }) => status === "PENDING").length;
  reportFigure(
    `${KILLS} kills, ${amid} amid approvals, ${refunds} refunds, ${team.decided.length - refunds} bank accounts, ${open} not approved`,
    `${client.requests} requests`,
  );
  expect(amid).toBeGreaterThanOrEqual(KILLS / 2);
  expect(refunds).toBeGreaterThanOrEqual(KILLS);
  expect(facts).toHaveLength(team.decided.length);
  for (const { id, persists, winner } of team.decided) {
    const fact = byId.get(id);
    const isApproved = fact?.status === "APPROVED";
    expect(fact, id).toMatchObject({ status: isApproved ? "APPROVED" : "PENDING" });
    expect(fact, id).toMatchObject(isApproved ? { done: 1, events: 1 } : { done: 0, events: 0, decided_by: null });
    if (persists || winner !== null) expect(fact?.decided_by, id).toBe(winner);
  }
  const [counts] = await db.sql`
    select (select count(*)::int from transactions where environment_id = ${environmentId} and type = 'REFUND') as refunds,
      (select count(*)::int from approval_requests
        where environment_id = ${environmentId} and action = 'REFUND' and status = 'APPROVED') as approved`;
  expect(counts?.refunds).toBe(counts?.approved);
  await expectCleanBooks(db);
});
