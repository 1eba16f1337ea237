import { randomUUID } from "node:crypto";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { requestRefund } from "@/lib/domain/approvals/acts";
import { approveRequest } from "@/lib/domain/approvals/approve";
import { type Member, rejectRequest, withdrawRequest } from "@/lib/domain/approvals/requests";
import type { Context } from "@/lib/domain/context";
import type { Decision } from "./dispute-requests";
import type { Shop } from "./shop";
import type { MadePayment, Stage } from "./stage";

const PAUSES_MS = [0, 0, 5, 50, 500, 2_500, 9_000];
const MAX_TRIES = 3;

/**
 * A member requests a refund that others decide at once, while they may withdraw it and the payment may change.
 */
export async function approvals(stage: Stage, made: MadePayment): Promise<void> {
  const { shop, random, client } = stage;
  const { world } = shop;
  const [requester, owner, admin] = await hire(shop, ["operator", "owner", "admin"]);
  if (!requester || !owner || !admin) throw new Error("three members were hired");
  const opened = { id: null as string | null, isGivenUp: world.plan.without.includes(`${made.key} requests`) };
  const amount = random.pick([300, 300, Math.floor(made.amount / 2)]);
  const knows = random.chance(0.5) ? { acknowledge_dispute: true as const } : {};
  const [pauseMs, waits] = [random.pick([0, 500, 2_500, 9_000]), random.chance(0.5)];

  client(`${made.key} requests`, pauseMs, async () => {
    await world.park("waits for the payment", { isReady: () => made.ids !== null || made.isGivenUp });
    for (let i = 0; made.ids && i < MAX_TRIES && opened.id === null; i++) {
      const subject = made.ids.payment;
      opened.id = await decide(shop, "request", requester, null, async (ctx) =>
        requestRefund(ctx, { subject, parameters: { amount, ...knows }, reason: "It broke." }, requester),
      );
    }
    opened.isGivenUp = true;
  });
  const act = (name: string, kind: "approve" | "reject" | "withdraw", user: Member) => {
    const [pause, tries] = [random.pick(PAUSES_MS), 1 + random.int(MAX_TRIES)];
    client(`${made.key} ${name}`, waits ? pause : 0, async () => {
      await world.park("waits for the request", { isReady: () => opened.id !== null || opened.isGivenUp });
      const { id } = opened;
      if (id === null) return;
      const done = { approve: approveRequest, reject: rejectRequest, withdraw: withdrawRequest }[kind];
      for (let i = 0; i < tries; i++) {
        if (await decide(shop, kind, user, id, (ctx) => done(ctx, { id, user }))) return;
        await world.timer.wait(world.schedule.pick([20, 1_500, 12_000]));
      }
    });
  };
  act("owner approves", "approve", owner);
  if (random.chance(0.7)) act("admin approves", "approve", admin);
  if (random.chance(0.3)) act("owner approves again", "approve", owner);
  if (random.chance(0.3)) act("admin rejects", "reject", admin);
  if (random.chance(0.4)) act("is withdrawn", "withdraw", requester);
}

/** Members of the merchant's team, for one world. */
async function hire({ ground, environment, members: team }: Shop, roles: readonly Member["role"][]): Promise<Member[]> {
  const members: Member[] = [];
  for (const role of roles) {
    const member = { userId: randomUUID(), name: role, email: `${randomUUID()}@people.example`, role };
    await ground.monitor`
      insert into users (id, email, name, password_hash, role, merchant_id, owns_email, email_verified_at)
      values (${member.userId}, ${member.email}, ${role}, 'none', ${role}, ${environment.merchantId}, true, now())`;
    members.push(member);
    team.push(member);
  }
  return members;
}

type Shown = { id: string; status: string; decided_by: { id: string } | null };

/** The request's id once the member got a result; null if no response came, or to be sent again. */
async function decide(
  shop: Shop,
  act: Decision["act"],
  user: Member,
  id: string | null,
  call: (ctx: Context) => Promise<Shown>,
): Promise<string | null> {
  const { world } = shop;
  const process = await shop.anyProcess(`${act}s`);
  return shop.within(process, world.actor.name, async (service) => {
    try {
      const ctx = { ...shop.call(service, `${act}Refund`), actor: { type: "user", id: user.userId } } as const;
      const shown = await call(ctx);
      const decidedBy = shown.decided_by && decodeId("user", shown.decided_by.id);
      world.note(`${act}: ${shown.status}`);
      shop.decisions.push({ requestId: shown.id, act, by: user.userId, status: shown.status, decidedBy });
      if (act === "approve" && decidedBy === user.userId) world.sometimes(`an approval ends ${shown.status}`);
      return shown.id;
    } catch (error) {
      if (!(error instanceof AppError)) {
        shop.onlyOutages(error);
        return null;
      }
      world.note(`${act}: ${error.code}`);
      world.sometimes(`a refusal to ${act}: ${error.code}`);
      if (id !== null) shop.decisions.push({ requestId: id, act, by: user.userId, status: null, decidedBy: null });
      return error.code === "invalid_state" || error.code === "permission_denied" ? id : null;
    }
  });
}
