import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { ApprovalRequest, RequestedAct } from "@/lib/contract/approvals/approvals";
import type { ApprovalAction } from "@/lib/contract/approvals/words";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { MerchantRole } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
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
const RULE_STEPS = 1_000;
const GIVE_UP_MS = 120_000;
const addressOf = (mode: Mode) => `/api/dashboard/${mode}/approval-requests`;

type Person = { id: string; cookie: string };
/** `persists`: its approvers repeat the call until they have a response. Others give up after one try. */
type Decided = { id: string; action: ApprovalAction; persists: boolean; winner: string | null };
/** Responses with the secret of a key that two tabs of its requester collected at once. */
type Collected = { id: string; secrets: string[] };

const { db, url } = await testDatabase({ own: true });

/** Repeats a call until a live host has responded. */
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

/** Acts of one environment's team, each of which two colleagues approve at once. Keys are live mode's. */
class Team {
  readonly decided: Decided[] = [];
  readonly collected: Collected[] = [];
  /** Approvals without a response yet. */
  inFlight = 0;
  #stopped = false;
  readonly #lanes: Promise<void>[];

  constructor(
    readonly client: Client,
    readonly people: Awaited<ReturnType<typeof members>>,
    readonly environments: Record<Mode, string>,
  ) {
    const refunds = Array.from({ length: REFUND_LANES }, (_, lane) => this.#run((n) => this.#refund(lane + n)));
    const others = [this.#run((n) => this.#account(n)), this.#run(() => this.#keys()), this.#run((n) => this.#rule(n))];
    this.#lanes = [...refunds, ...others];
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
    // A kill can end a payment before it reaches the processor, and that response is final.
    if (created.status !== 201) return;
    const { id: subject } = paymentOf(created);
    const act = { action: "REFUND", subject, parameters: { amount: AMOUNT }, reason: "The parcel is lost" } as const;
    const id = await this.#request(this.people.operator, act, "test", decodeId("payment", subject));
    await this.#decide(id, "REFUND", "test", number % 3 !== 2);
  }

  async #account(number: number): Promise<void> {
    const account_number = String(10_000_000 + number);
    const parameters = { holder: "Shop", bank_name: "Bank", country: "US", account_number };
    const act = { action: "BANK_ACCOUNT", parameters, reason: "We moved" } as const;
    const id = await this.#request(this.people.owner, act, "test");
    await this.#decide(id, "BANK_ACCOUNT", "test", true);
  }

  /** A new key, then more rights for it, then its rotation. */
  async #keys(): Promise<void> {
    const settings = { name: "Server", permissions: ["payment.read" as const], expires_at: null, ip_allow_list: [] };
    const key = await this.#key({ act: "CREATE", ...settings });
    const subject = encodeId("apiKey", await this.#collect(key));
    const permissions = ["payment.read" as const, "transaction.read" as const];
    await this.#key({ act: "CHANGE", subject, ...settings, permissions });
    await this.#collect(await this.#key({ act: "ROTATE", subject, overlap_hours: 0 }));
  }

  async #key(parameters: Extract<RequestedAct, { action: "LIVE_KEY" }>["parameters"]): Promise<string> {
    const act = { action: "LIVE_KEY", parameters, reason: "A second server" } as const;
    const id = await this.#request(this.people.developer, act, "live");
    await this.#decide(id, "LIVE_KEY", "live", true);
    return id;
  }

  /** Collects an approved key in two tabs. Returns the key's id, which is stored even if both responses were lost. */
  async #collect(id: string): Promise<string> {
    const collect = () => this.#post(`${addressOf("live")}/${id}/collect`, this.people.developer);
    const tabs = await Promise.all([1, 2].map(() => this.#amid(() => persist(async () => finalOf(await collect())))));
    const refused = tabs.filter(({ status }) => status !== 200);
    if (refused.some(({ code }) => code !== "invalid_state")) throw new Error(JSON.stringify(refused));
    const shown = tabs.filter(({ status }) => status === 200);
    this.collected.push({ id, secrets: shown.map(({ text }) => (JSON.parse(text) as { secret: string }).secret) });
    const [row] = await db.sql<{ key_id: string | null }[]>`
      select key_id from approval_requests where id = ${decodeId("approval", id)}`;
    if (!row?.key_id) throw new Error(`the key of ${id} was not made`);
    return row.key_id;
  }

  /** Each rule is weaker than the one before it, until the owner makes it strict again. */
  async #rule(number: number): Promise<void> {
    const step = number % RULE_STEPS;
    if (step === 0) await this.people.resetRule();
    const rule = { action: "REFUND", roles: ["owner"], day_usd: null, finance_decides: false } as const;
    const parameters = { ...rule, roles: [...rule.roles], above_usd: 100 + step };
    const act = { action: "APPROVAL_RULE", parameters, reason: "We trust more" } as const;
    const id = await this.#request(this.people.owner, act, "live");
    await this.#decide(id, "APPROVAL_RULE", "live", true);
  }

  /** Requests an act, unless a request whose response was lost is already open. */
  #request(by: Person, act: RequestedAct, mode: Mode, subjectId: string | null = null): Promise<string> {
    return persist(async () => {
      const [waiting] = await db.sql<{ id: string }[]>`
        select id from approval_requests
        where environment_id = ${this.environments[mode]} and action = ${act.action} and status = 'PENDING'
          and requested_by = ${by.id} and subject_id = coalesce(${subjectId}::uuid, subject_id)`;
      if (waiting) return encodeId("approval", waiting.id);
      const answer = await this.#post(addressOf(mode), by, act);
      return answer.status === 201 ? (JSON.parse(answer.text) as ApprovalRequest).id : null;
    });
  }

  async #amid<T>(call: () => Promise<T>): Promise<T> {
    this.inFlight++;
    try {
      return await call();
    } finally {
      this.inFlight--;
    }
  }

  async #decide(id: string, action: ApprovalAction, mode: Mode, persists: boolean): Promise<void> {
    const answers = await Promise.all(
      this.people.admins.map(async (admin) => {
        const approve = async () => finalOf(await this.#post(`${addressOf(mode)}/${id}/approve`, admin));
        const answer = await this.#amid(() => (persists ? persist(approve) : approve().catch(() => null)));
        return { by: admin.id, answer };
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

const finalOf = (answer: Answer): Answer | null => (isFinal(answer) ? answer : null);

/** Signed-in members of the tenant's merchant, who may request what the admins approve, and not do it alone. */
async function members(environments: Record<Mode, string>) {
  const service = testService(db, { baseUrl: "http://localhost" });
  const [row] = await db.sql<{ merchant_id: string }[]>`
    select merchant_id from environments where id = ${environments.test}`;
  const merchantId = row?.merchant_id ?? "";
  const person = async (role: MerchantRole): Promise<Person> => {
    const { id } = await createTestUser(db, { merchantId, role });
    const { name, value } = await signIn(service, id, "merchant");
    return { id, cookie: `${name}=${value}` };
  };
  const [owner, operator, developer, ...admins] = await Promise.all([
    person("owner"),
    person("operator"),
    person("developer"),
    person("admin"),
    person("admin"),
  ]);
  const ctxOf = (mode: Mode) => {
    const environment = { id: environments[mode], mode, merchantId, clock: null };
    return testContext(service, environment, { actor: { type: "user", id: owner.id } });
  };
  await updateRule(ctxOf("test"), { action: "REFUND", ...NO_RULE, roles: ["operator"], above_usd: 50 });
  await updateRule(ctxOf("test"), { action: "BANK_ACCOUNT", ...NO_RULE, roles: ["owner"] });
  await updateRule(ctxOf("live"), { action: "LIVE_KEY", ...NO_RULE, roles: ["developer"] });
  const resetRule = () => updateRule(ctxOf("live"), { action: "REFUND", ...NO_RULE, roles: ["owner"], above_usd: 50 });
  return { owner, operator, developer, admins, resetRule };
}

test(`after ${KILLS} kills (-9) amid approvals each request is carried out once if it is approved, and not at all if it isn't`, async () => {
  const { environmentId, liveEnvironmentId, apiKey } = await createTenant(db);
  const environments = { test: environmentId, live: liveEnvironmentId };
  const people = await members(environments);
  const hosts: ProofHost[] = await Promise.all([1, 2].map(() => startHost({ databaseUrl: url })));
  onTestFinished(async () => {
    await Promise.all(hosts.map((host) => host.stop()));
  });
  let turn = 0;
  const client = new Client(apiKey, () => (hosts[turn++ % 2] as ProofHost).baseUrl);
  const team = new Team(client, people, environments);
  let amid = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    await wait(Math.random() * 300);
    await team.untilAmid();
    await wait(Math.random() * 15);
    await team.untilAmid();
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
        else (select count(*)::int from audit_log a where a.environment_id = r.environment_id and case
            when r.action = 'BANK_ACCOUNT' then a.action = 'settings.bank_account_updated'
            when r.action = 'APPROVAL_RULE' then a.action = 'settings.approvals_updated'
            when r.parameters ->> 'act' = 'CHANGE' then a.action = 'api_key.updated'
            else a.action = 'api_key.created' and a.object_id = r.key_id end
          and (r.key_id is not null or a.request_id in (select b.request_id from audit_log b
            where b.environment_id = r.environment_id and b.action = 'approval_request.approved'
            and b.object_id = r.id)))
      end as done,
      (select count(*)::int from events e where e.environment_id = r.environment_id and e.object_id = r.id
        and e.type = 'approval_request.approved') as events
    from approval_requests r where r.environment_id in (${environmentId}, ${liveEnvironmentId})`;
  const byId = new Map(facts.map((row) => [encodeId("approval", row.id), row]));
  const countOf = (which: ApprovalAction) => team.decided.filter(({ action }) => action === which).length;
  const [refunds, accounts, keys, rules] = (["REFUND", "BANK_ACCOUNT", "LIVE_KEY", "APPROVAL_RULE"] as const).map(
    countOf,
  ) as [number, number, number, number];
  const open = facts.filter(({ status }) => status === "PENDING").length;
  reportFigure(
    `${KILLS} kills, ${amid} amid approvals, ${refunds} refunds, ${accounts} bank accounts, ${keys} acts on keys, ${rules} rules, ${open} not approved`,
    `${client.requests} requests`,
  );
  expect(amid).toBeGreaterThanOrEqual(KILLS / 2);
  expect(refunds).toBeGreaterThanOrEqual(KILLS);
  for (const count of [accounts, keys, rules]) expect(count).toBeGreaterThanOrEqual(KILLS / 2);
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
  const made = await db.sql<{ id: string; secret_sha256: Buffer }[]>`
    select r.id, k.secret_sha256 from api_keys k
    left join approval_requests r on r.environment_id = k.environment_id and r.key_id = k.id
    where k.environment_id = ${liveEnvironmentId}`;
  const hashes = new Map(made.map(({ id, secret_sha256 }) => [encodeId("approval", id), secret_sha256]));
  expect(made.map(({ id }) => encodeId("approval", id)).toSorted()).toEqual(
    team.collected.map(({ id }) => id).toSorted(),
  );
  for (const { id, secrets } of team.collected) {
    expect(secrets.length, id).toBeLessThanOrEqual(1);
    for (const secret of secrets) expect(createHash("sha256").update(secret).digest(), id).toEqual(hashes.get(id));
  }
  await expectCleanBooks(db);
});
