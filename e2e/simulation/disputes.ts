import { encodeId } from "@/lib/contract/ids";
import type { Service } from "@/lib/domain/context";
import { tryReport } from "@/lib/domain/payments/process-reports";
import { runPayoutsOf } from "@/lib/domain/settlement/payouts";
import { runSettlement } from "@/lib/domain/settlement/settle";
import { approvals } from "./approvals";
import type { DisputeAsk } from "./dispute-requests";
import type { Shop } from "./shop";
import type { MadePayment, Stage } from "./stage";

const DAY_MS = 86_400_000;
const PAUSES_MS = [0, 0, 5, 50, 500, 2_500, 9_000, 15_000];
/** Between the dispute and its responses. */
const SHORT_PAUSES_MS = [0, 0, 0, 5, 50, 500, 2_500];
/** Looks for a dispute that may not come, such as of a payment that is voided. */
const MAX_POLLS = 20;
const POLL_MS = 700;
const NOTES = ["winning_evidence", "losing_evidence", "It was delivered."];

/** Cardholders dispute payments, whose merchant responds and refunds, while money is settled and paid out. */
export async function dispute(stage: Stage): Promise<void> {
  const { shop, random } = stage;
  shop.use("disputes");
  const count = random.pick([1, 1, 2]);
  for (let i = 0; i < count; i++) {
    const card = random.pick(["disputed", "disputed", "notReceived"] as const);
    const made = stage.newPayment(`disputed${i}`, card, random.chance(0.2));
    stage.make(made);
    if (made.manual) stage.act(made, "capture", `${made.key} capture`, random.chance(0.5) ? { amount: 700 } : {});
    respond(stage, made);
    refund(stage, made);
    if (random.chance(0.6)) await approvals(stage, made);
  }
  moveMoney(stage);
  if (random.chance(0.6)) repeatNotices(stage);
  const leaps = Array.from({ length: random.pick([0, 1, 2, 2]) }, () => random.pick([1, 10, 10, 16]) * DAY_MS);
  const pausesMs = leaps.map(() => random.pick(PAUSES_MS));
  stage.client("days", 0, async () => {
    for (const [i, leapMs] of leaps.entries()) {
      await shop.world.timer.wait(2_000 + (pausesMs[i] ?? 0));
      // Whatever is in progress finds the deadline passed.
      await shop.world.perform("days pass", async () => {
        shop.world.nowMs += leapMs;
        shop.world.note(`${leapMs / DAY_MS} days pass`);
      });
      shop.use("disputes");
    }
  });
}

/** Saves evidence, and submits it or accepts the dispute, in several tabs. */
function respond(stage: Stage, made: MadePayment): void {
  const { random, shop } = stage;
  const count = 2 + random.int(4);
  for (let i = 1; i <= count; i++) {
    const verb = random.pick(["submit", "submit", "submit", "update", "upload", "accept"] as const);
    const name = `${made.key} ${verb}${i}`;
    const [pauseMs, tries, notes] = [random.pick(SHORT_PAUSES_MS), 1 + random.int(3), random.pick(NOTES)];
    const [savesFirst, twice] = [random.chance(0.8), random.chance(0.3)];
    const work = async () => {
      const target = await findDispute(shop, made);
      if (target === null) return;
      await shop.world.timer.wait(pauseMs);
      const send = (key: string, asked: DisputeAsk["verb"], body: Record<string, unknown>) =>
        stage.persist({ key, what: "dispute", verb: asked, target: asked === "upload" ? "" : target, body }, tries);
      if (verb === "update" || (verb === "submit" && savesFirst)) {
        await send(`${name} draft`, "update", { evidence: { notes } });
      }
      if (verb === "submit" || verb === "accept") await send(name, verb, {});
      if (verb !== "upload") return;
      const file = await send(name, "upload", {});
      if (file?.status !== 201 && file?.status !== 200) return;
      const files = [(JSON.parse(file.text) as { id: string }).id];
      await send(`${name} attached`, "update", { evidence: { files } });
    };
    stage.client(name, 0, work);
    if (twice) stage.client(`${name} repeat`, random.pick(SHORT_PAUSES_MS), work);
  }
}

/** Refunds, some of which know of the dispute. */
function refund(stage: Stage, made: MadePayment): void {
  const { random } = stage;
  const count = random.int(4);
  for (let i = 1; i <= count; i++) {
    const body = random.pick([{}, { amount: 300 }, { amount: Math.floor(made.amount / 2) + 1 }]);
    const acknowledged = random.chance(0.5) ? { acknowledge_dispute: true } : {};
    stage.act(made, "refund", `${made.key} refund${i}`, { ...body, ...acknowledged });
  }
}

/** Settles and pays out, in the middle of everything. */
function moveMoney({ shop, random, client }: Stage): void {
  const count = random.int(4);
  for (let i = 1; i <= count; i++) {
    const name = `night${i}`;
    client(name, 1_000 + random.pick(PAUSES_MS), async () => {
      const process = await shop.anyProcess(name);
      const paidOut = await shop.within(process, name, (service) =>
        settleAndPayOut(shop, service).catch((error: unknown) => {
          // A settlement that waits long for a payment's lock gives up, and is repeated.
          if (!isLockTimeout(error)) shop.onlyOutages(error);
          return 0;
        }),
      );
      if (paidOut) shop.world.sometimes("a payout is made amid disputes");
    });
  }
}

const isLockTimeout = (error: unknown) => (error as { code?: string }).code === "55P03";

/** Settles the environment, and makes and sends its payouts. Returns the number of their steps. */
export async function settleAndPayOut({ environment }: Shop, service: Service): Promise<number> {
  await runSettlement(service, { environmentId: environment.id });
  return runPayoutsOf(service, environment.id);
}

/** Delivers reports that were processed long ago, as a processor's webhooks may be. */
function repeatNotices({ shop, random, client }: Stage): void {
  const count = 1 + random.int(3);
  for (let i = 1; i <= count; i++) {
    const name = `notice${i}`;
    client(name, 1_500 + random.pick(PAUSES_MS), async () => {
      const process = await shop.anyProcess(name);
      const [report] = shop.world.schedule.shuffle(shop.network.disputeReports);
      if (!report) return;
      await shop.within(process, name, async (service) => {
        const from = await service.processors.reporter("sandbox");
        if (!from) throw new Error("the sandbox is always connected");
        shop.world.sometimes("a report of a dispute is repeated late");
        await tryReport(service, from, report).catch(shop.onlyOutages);
      });
    });
  }
}

/** The dispute of a payment; null if none comes. */
async function findDispute(shop: Shop, made: MadePayment): Promise<string | null> {
  const { world } = shop;
  await world.park("waits for the payment", { isReady: () => made.ids !== null || made.isGivenUp });
  for (let i = 0; made.ids && i < MAX_POLLS; i++) {
    const { payment } = made.ids;
    const id = await world.perform("looks for a dispute", async () => {
      const rows = await shop.ground.monitor<{ id: string; payment_id: string }[]>`
        select id, payment_id from disputes where environment_id = ${shop.environment.id}`;
      return rows.find(({ payment_id }) => encodeId("payment", payment_id) === payment)?.id ?? null;
    });
    if (id) return encodeId("dispute", id);
    await world.timer.wait(POLL_MS);
  }
  return null;
}
