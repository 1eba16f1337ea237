import { createClientSessionBody } from "@/lib/contract/checkout/client-session";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { createPaymentMethodBody } from "@/lib/contract/payment-methods/payment-method";
import { cancelClientSession, createClientSession } from "@/lib/domain/checkout/client-sessions";
import { removePaymentMethod } from "@/lib/domain/payment-methods/payment-methods";
import { createPaymentMethod } from "@/lib/domain/payment-methods/store-card";
import { continuePayment } from "@/lib/domain/payments/follow-up";
import { testPaymentToken } from "../fixtures/factories";
import { CARDS, type CardName } from "../proof/client";
import { dispute } from "./disputes";
import { type Random, randomOf } from "./random";
import { readers, readSomething } from "./readers";
import { type Answer, type Ask, isFinal, type Shop } from "./shop";
import type { MadePayment, Stage } from "./stage";
import { subscription } from "./subscribers";
import type { World } from "./world";

const USUAL: readonly CardName[] = [
  ...(["good", "good", "good", "good", "good", "good", "good", "refundFailsLater", "refundFailsLater"] as const),
  ...(["declined", "captureFails", "lostAnswer", "refusedOnce", "garbage", "slow", "challenge"] as const),
];
const HOLDABLE: readonly CardName[] = ["good", "good", "good", "good", "captureFails", "slow", "lostAnswer"];
const REFUNDABLE: readonly CardName[] = ["good", "good", "good", "refundFailsLater", "refundFailsLater", "slow"];
const PAUSES_MS = [0, 0, 0, 0, 5, 50, 500, 2_500, 9_000, 15_000];
const DAY_MS = 86_400_000;

/** The clients of one seed: one or two stories, each with several independent clients. */
export class Load {
  readonly payments: MadePayment[] = [];
  /** Creation times of the keys that are reused around their expiry. */
  readonly keysCreatedMs = new Map<string, number>();
  /** Requests without a final response, to be retried until they have one. */
  readonly open = new Map<string, Ask>();
  readonly actors: string[] = [];
  readonly #world: World;
  readonly #random: Random;
  readonly #shop: Shop;
  #running = 0;
  #stories = 0;

  constructor(shop: Shop) {
    this.#shop = shop;
    this.#world = shop.world;
    this.#random = shop.world.load;
  }

  get isOver(): boolean {
    return this.#running === 0;
  }

  /** Starts the clients; the scheduler does the rest. */
  async begin(): Promise<void> {
    const stories = [
      () => this.#purchase(),
      () => this.#purchase(),
      () => this.#hold(),
      () => this.#hold(),
      () => this.#refunds(),
      () => this.#refunds(),
      () => this.#session(),
      () => this.#token(),
      () => this.#challenge(),
      () => this.#cardOnFile(),
      () => this.#cardOnFile(),
      () => this.#oldKey(),
      () => this.#crowd(),
    ];
    if (this.#shop.hasReplica) readers(this.#stage());
    // Alone, because its clock also settles and ends what other stories expect to stay as it is; and by right
    // clocks, because the books compare the times of payments and of the subscription's end.
    if (this.#random.chance(0.1) && !this.#shop.hasSkewedClocks) return subscription(this.#stage());
    // Alone, because its days pass.
    if (randomOf(this.#world.plan.seed, "disputes").chance(0.25)) return dispute(this.#stage());
    const count = this.#random.pick([1, 1, 2]);
    for (let i = 0; i < count; i++) await this.#random.pick(stories)();
  }

  #stage(): Stage {
    return {
      shop: this.#shop,
      random: this.#random,
      newPayment: (...payment) => this.#newPayment(...payment),
      make: (made) => this.#make(made),
      act: (...act) => this.#act(...act),
      client: (...client) => this.#client(...client),
      persist: (...request) => this.#persist(...request),
      setUp: (...work) => this.#setUp(...work),
    };
  }

  /** Starts one client. Its actions don't depend on which other clients are left out. */
  #client(name: string, pauseMs: number, work: () => Promise<void>): void {
    this.actors.push(name);
    if (this.#world.plan.without.includes(name)) return;
    this.#running++;
    const actor = { name, process: null };
    const run = async () => {
      if (pauseMs > 0) await this.#world.timer.wait(pauseMs);
      await work();
    };
    void this.#world.start(actor, async () => {
      try {
        await run();
      } catch (error) {
        this.#world.violate(`${name} breaks: ${(error as Error).stack ?? String(error)}`);
      } finally {
        this.#running--;
      }
    });
  }

  /** Retries a request until the response is final or the attempts run out. */
  async #persist(ask: Ask, tries: number, made: MadePayment | null = null): Promise<Answer | null> {
    this.open.set(ask.key, ask);
    for (let i = 0; i < tries; i++) {
      const answer = await this.#shop.ask(ask);
      if (answer && made) learn(made, answer);
      if (answer && this.#shop.hasReplica) await readSomething(this.#shop);
      if (answer && isFinal(answer)) {
        this.open.delete(ask.key);
        return answer;
      }
      await this.#world.timer.wait(this.#world.schedule.pick([20, 300, 1_500, 6_000]));
    }
    return null;
  }

  #newPayment(name: string, card: CardName, manual: boolean): MadePayment {
    const amount = this.#random.pick([1_000, 2_500, 10_000]);
    const made: MadePayment = { key: name, amount, card, manual, ids: null, isGivenUp: false };
    this.payments.push(made);
    if (card === "garbage") this.#shop.network.hasGarbage = true;
    return made;
  }

  #createAsk({ key, amount, card, manual }: MadePayment): Ask {
    const given = { number: CARDS[card], exp_month: 12, exp_year: 2040, cvv: "123" };
    return {
      key,
      what: "create",
      body: { amount, currency: "USD", card: given, ...(manual && { capture_method: "manual" }) },
    };
  }

  /**
   * Starts a client that creates the payment, perhaps with duplicates or a client that reuses its key for
   * another body.
   */
  #make(made: MadePayment): void {
    const ask = this.#createAsk(made);
    const random = this.#random;
    const tries = 1 + random.int(3);
    made.isGivenUp = this.#world.plan.without.includes(made.key);
    this.#client(made.key, 0, async () => {
      await this.#persist(ask, tries, made);
      made.isGivenUp = true;
    });
    for (let i = 0; i < random.pick([0, 0, 1, 2]); i++) {
      this.#client(`${made.key} repeat ${i + 1}`, random.pick(PAUSES_MS), async () => {
        await this.#persist(ask, 2, made);
      });
    }
    if (random.chance(0.2)) {
      const other = { ...ask, body: { ...ask.body, amount: made.amount + 1 } };
      this.#client(`${made.key} misused`, random.pick(PAUSES_MS), async () => {
        // If this request takes the key first, the payment is never created.
        const answer = await this.#shop.ask(other);
        if (answer && isFinal(answer) && answer.code !== "idempotency_key_reused") made.isGivenUp = true;
      });
    }
  }

  /** Captures, voids or refunds a payment once its id is known. */
  #act(made: MadePayment, what: "capture" | "void" | "refund", name: string, body: object): void {
    const random = this.#random;
    const [pauseMs, tries] = [random.pick(PAUSES_MS), 1 + random.int(3)];
    const byCharge = random.chance(0.3);
    const twice = random.chance(0.2);
    const work = async () => {
      await this.#world.park("waits for the payment", { isReady: () => made.ids !== null || made.isGivenUp });
      if (!made.ids) return;
      const target = byCharge ? made.ids.charge : made.ids.payment;
      await this.#persist({ key: name, what, target, body: { ...body } }, tries);
    };
    this.#client(name, pauseMs, work);
    if (twice) this.#client(`${name} repeat`, pauseMs + random.pick(PAUSES_MS), work);
  }

  async #purchase(): Promise<void> {
    const made = this.#newPayment(`buy${this.payments.length}`, this.#random.pick(USUAL), this.#random.chance(0.2));
    this.#make(made);
    if (this.#random.chance(0.6)) this.#act(made, "refund", `${made.key} refund`, {});
  }

  async #hold(): Promise<void> {
    const random = this.#random;
    const made = this.#newPayment(`hold${this.payments.length}`, random.pick(HOLDABLE), true);
    this.#make(made);
    const part = Math.floor(made.amount / 2);
    this.#act(made, "capture", `${made.key} capture`, random.chance(0.5) ? { amount: part } : {});
    this.#act(made, "void", `${made.key} void`, {});
    if (random.chance(0.4)) this.#act(made, "capture", `${made.key} capture2`, {});
    if (random.chance(0.4)) this.#act(made, "refund", `${made.key} refund`, { amount: part });
  }

  async #refunds(): Promise<void> {
    const random = this.#random;
    const made = this.#newPayment(`pay${this.payments.length}`, random.pick(REFUNDABLE), false);
    this.#make(made);
    const count = 2 + random.int(3);
    for (let i = 1; i <= count; i++) {
      const amount = random.pick([null, Math.floor(made.amount / 2), Math.floor(made.amount / 2) + 1, 300]);
      this.#act(made, "refund", `${made.key} refund ${i}`, amount === null ? {} : { amount });
    }
  }

  /**
   * Several shoppers, or one with several tabs, pay one session: through its form, or with tokens made in it.
   */
  async #session(): Promise<void> {
    const random = this.#random;
    const amount = 1_999;
    const story = ++this.#stories;
    const token = await this.#setUp("a session", async (service) => {
      const body = createClientSessionBody.parse({ amount, currency: "USD" });
      return JSON.parse((await createClientSession(this.#shop.call(service, "createClientSession"), body)).body);
    });
    const sessionId = String(token.id);
    if (random.chance(0.4)) this.#cancel(sessionId, story);
    const tabs = 2 + random.int(2);
    for (let i = 1; i <= tabs; i++) {
      const card = random.pick(["good", "good", "good", "declined", "slow"] as const);
      const [pauseMs, tries, name] = [random.pick(PAUSES_MS), 1 + random.int(3), `tab${story}-${i}`];
      const given = { number: CARDS[card], exp_month: 12, exp_year: 2040, cvv: "123" };
      if (random.chance(0.6)) {
        const session = { sessionId, token: String(token.client_session_token) };
        const pay = async () => {
          await this.#persist({ key: name, what: "attempt", ...session, body: { card: given } }, tries);
        };
        this.#client(name, pauseMs, pay);
        if (random.chance(0.4)) this.#client(`${name} repeat`, pauseMs + random.pick(PAUSES_MS), pay);
      } else {
        const made = await this.#setUp("a token", (service) =>
          testPaymentToken(this.#shop.call(service, "tokenizeForSession"), {
            card: given,
            clientSessionId: decodeId("clientSession", sessionId),
          }),
        );
        this.#client(name, pauseMs, async () => {
          await this.#persist(
            { key: name, what: "create", body: { amount, currency: "USD", payment_token: made.id } },
            tries,
          );
        });
      }
    }
  }

  /** Cancels a session as the merchant, perhaps while a shopper pays it. */
  #cancel(sessionId: string, story: number): void {
    const name = `cancel${story}`;
    this.#client(name, this.#random.pick(PAUSES_MS), async () => {
      const process = await this.#shop.anyProcess(name);
      await this.#shop.within(process, name, async (service) => {
        await cancelClientSession(this.#shop.call(service, "cancelClientSession"), { id: sessionId }).catch(
          (error: unknown) => {
            if (!(error instanceof AppError)) this.#shop.onlyOutages(error);
          },
        );
      });
    });
  }

  /** Several requests compete for one token. */
  async #token(): Promise<void> {
    const random = this.#random;
    const card = random.pick(["good", "good", "declined", "lostAnswer"] as const);
    const given = { number: CARDS[card], exp_month: 12, exp_year: 2040, cvv: "123" };
    const made = await this.#setUp("a token", (service) =>
      testPaymentToken(this.#shop.call(service, "tokenize"), {
        card: given,
      }),
    );
    const story = ++this.#stories;
    const uses = 2 + random.int(2);
    for (let i = 1; i <= uses; i++) {
      const [pauseMs, tries, name] = [random.pick(PAUSES_MS), 1 + random.int(3), `token${story}-${i}`];
      this.#client(name, pauseMs, async () => {
        await this.#persist(
          { key: name, what: "create", body: { amount: 1_500, currency: "USD", payment_token: made.id } },
          tries,
        );
      });
    }
  }

  /**
   * Several requests charge a stored card, which is removed in the meantime; a payment may store another one.
   */
  async #cardOnFile(): Promise<void> {
    const random = this.#random;
    const story = ++this.#stories;
    const card = random.pick(["good", "good", "lostAnswer", "slow"] as const);
    const given = { number: CARDS[card], exp_month: 12, exp_year: 2040, cvv: "123" };
    const id = await this.#setUp("a stored card", async (service) => {
      const body = createPaymentMethodBody.parse({
        customer_id: `customer${story}`,
        card: { ...given, number: CARDS.good },
      });
      const reply = await createPaymentMethod(this.#shop.call(service, "createPaymentMethod"), body);
      const made = JSON.parse(reply.body) as { id: string };
      this.#shop.knowledge.learn(made);
      return made.id;
    });
    const charges = 2 + random.int(3);
    const [pauseMs, pausesMs] = [random.pick(PAUSES_MS), random.pick([0, 5, 50])];
    // Sequential: of several waiting for the removal, PostgreSQL decides which continues first.
    this.#client(`stored${story}`, pauseMs, async () => {
      for (let i = 1; i <= charges; i++) {
        const body = { amount: 1_500, currency: "USD", payment_method_id: id };
        await this.#persist({ key: `stored${story}-${i}`, what: "create", body }, 2);
        await this.#world.timer.wait(pausesMs);
      }
    });
    if (random.chance(0.7)) this.#remove(id, story);
    if (random.chance(0.6)) {
      const name = `keeps${story}`;
      const body = { amount: 2_500, currency: "USD", customer_id: "keeper", save_payment_method: true, card: given };
      this.#client(name, random.pick(PAUSES_MS), async () => {
        await this.#persist({ key: name, what: "create", body }, 3);
      });
    }
  }

  /** Removes a stored card as the merchant, perhaps while it is charged. */
  #remove(id: string, story: number): void {
    const name = `remove${story}`;
    this.#client(name, this.#random.pick(PAUSES_MS), async () => {
      const process = await this.#shop.anyProcess(name);
      await this.#shop.within(process, name, async (service) => {
        const removal = removePaymentMethod(this.#shop.call(service, "removePaymentMethod"), { id });
        await removal.then(({ body }) => this.#shop.knowledge.learn(JSON.parse(body)), this.#shop.onlyOutages);
      });
    });
  }

  /** A challenge that is completed in up to two concurrent tabs, or abandoned. */
  async #challenge(): Promise<void> {
    const random = this.#random;
    const made = this.#newPayment(`check${this.payments.length}`, "challenge", random.chance(0.3));
    this.#make(made);
    const results = random.pick([[], ["passed"], ["passed", "passed"], ["passed", "failed"], ["failed"]] as const);
    results.forEach((result, i) => {
      const pauseMs = random.pick(PAUSES_MS);
      this.#client(`${made.key} shopper ${i + 1}`, pauseMs, async () => {
        await this.#world.park("waits for the challenge", { isReady: () => made.ids !== null || made.isGivenUp });
        const id = made.ids && decodeId("payment", made.ids.payment);
        if (!id) return;
        const process = await this.#shop.anyProcess(`answers ${result}`);
        await this.#shop.within(process, `${made.key} shopper ${i + 1}`, async (service) => {
          await continuePayment(service, this.#shop.environment, id, result).catch(this.#shop.onlyOutages);
        });
      });
    });
    if (random.chance(0.4)) this.#act(made, "refund", `${made.key} refund`, {});
  }

  /** Many payments at the same moment, and two refunds of each. */
  async #crowd(): Promise<void> {
    const random = this.#random;
    const count = 6 + random.int(4);
    for (let i = 0; i < count; i++) {
      const made = this.#newPayment(`crowd${this.payments.length}`, random.pick(["good", "good", "declined"]), false);
      const ask = this.#createAsk(made);
      made.isGivenUp = this.#world.plan.without.includes(made.key);
      this.#client(made.key, 0, async () => {
        await this.#persist(ask, 2, made);
        made.isGivenUp = true;
      });
      // Two simultaneous refunds: the first to end invalidates the state that the other was computed from.
      for (const twin of random.chance(0.7) ? ["a", "b"] : []) {
        this.#client(`${made.key} twin ${twin}`, 0, async () => {
          await this.#world.park("waits for the payment", { isReady: () => made.ids !== null || made.isGivenUp });
          if (!made.ids) return;
          const ask: Ask = {
            key: `${made.key} twin ${twin}`,
            what: "refund",
            target: made.ids.payment,
            body: { amount: 300 },
          };
          await this.#persist(ask, 2);
        });
      }
      if (random.chance(0.5)) this.#act(made, "refund", `${made.key} refund`, { amount: 300 });
      if (random.chance(0.3)) this.#act(made, "refund", `${made.key} refund2`, {});
    }
  }

  /** Reuses a key around its expiry after a day, exact to the millisecond. */
  async #oldKey(): Promise<void> {
    const random = this.#random;
    const made = this.#newPayment(`daily${this.payments.length}`, "good", false);
    const ask = this.#createAsk(made);
    const aroundMs = random.pick([-800, -5, 0, 5, 400, 900, 60_000]);
    made.isGivenUp = this.#world.plan.without.includes(made.key);
    this.#client(made.key, 0, async () => {
      const answer = await this.#persist(ask, 3, made);
      made.isGivenUp = true;
      if (!answer) return;
      const created = await this.#shop.keyCreatedMs(made.key);
      if (created === null) return;
      this.keysCreatedMs.set(made.key, created);
      await this.#world.timer.wait(Math.max(0, created + DAY_MS + aroundMs - this.#world.nowMs));
      await this.#persist(ask, 3);
    });
    this.#act(made, "refund", `${made.key} refund`, { amount: 100 });
  }

  /** Runs setup before the load starts, without faults. */
  async #setUp<T>(what: string, work: (service: ReturnType<Shop["serviceOf"]>) => Promise<T>): Promise<T> {
    const [process] = this.#shop.living;
    if (!process) throw new Error("no process runs yet");
    return this.#shop.calmly(what, process, work);
  }
}

/** Reads a payment's ids from a response, final or not. */
function learn(made: MadePayment, { status, text }: Answer): void {
  if (made.ids || ![200, 201, 202].includes(status)) return;
  const payment = JSON.parse(text) as { id: string; transactions: { id: string }[] };
  const charge = payment.transactions[0]?.id;
  if (charge) made.ids = { payment: payment.id, charge };
}
