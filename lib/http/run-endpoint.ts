import { writes } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import { type Context, onReplicas, type Reply as VerbReply } from "@/lib/domain/context";
import { replayStored } from "@/lib/domain/idempotency/used-key";
import { readInTime } from "@/lib/domain/lists";
import { requireRunningClock } from "@/lib/domain/test-clock/test-clock";
import type { Access, Limits } from "./admission";
import type { ApiCall } from "./api-call";
import { findServed } from "./endpoints";
import { openEventStream, type Stream } from "./event-stream";
import { jsonBody } from "./parse";
import type { RequestInput } from "./request-input";
import { type Body, bytesOf } from "./response";
import { whileAllowed } from "./revocation";

/** A request whose caller and input were checked. */
export type Checked = {
  readonly call: ApiCall;
  readonly access: Access;
  readonly limits: Limits;
  readonly input: RequestInput;
  readonly ctx: Context;
};

export type EndpointReply = {
  readonly status: number;
  readonly body: Body;
  readonly replayed: boolean;
  readonly stream?: Stream;
  /** Called once the response is sent, or never will be. */
  readonly sent?: () => void;
};

/** The same before a long body is read. */
type RenderedReply = EndpointReply & Pick<VerbReply, "long" | "made" | "keptBytes">;

export function runEndpoint(checked: Checked): Promise<EndpointReply> {
  const { endpoint } = checked.call;
  if (endpoint.streams) return stream(checked);
  if (writes(endpoint)) return requireRunningClock(checked.ctx).then((ctx) => write({ ...checked, ctx }));
  return endpoint.list || endpoint.long ? longRead(checked) : replyOf(checked, run(checked));
}

async function stream({ call, ctx, limits: { reader } }: Checked): Promise<EndpointReply> {
  const { endpoint, request } = call;
  const opened = await openEventStream(ctx, reader, request.headers.get("last-event-id"));
  const reply = { status: endpoint.status, body: "", replayed: false };
  return request.method === "HEAD" ? reply : { ...reply, stream: whileAllowed(ctx, opened) };
}

async function longRead(checked: Checked): Promise<EndpointReply> {
  const { access, input } = checked;
  const { http } = checked.call;
  const { reader } = checked.limits;
  const unsent = await http.slots.unsent(reader);
  try {
    const slot = await http.slots.read(reader, modeOf(checked));
    try {
      if (slot.waited) http.responseLimiter.check(reader);
      await access.renew();
      const reply = await replyOf(
        checked,
        readInTime(input.values, () => run({ ...checked, ctx: onReplicas(checked.ctx) })),
      );
      return { ...reply, sent: unsent.release };
    } finally {
      slot.release();
    }
  } catch (error) {
    unsent.release();
    throw error;
  }
}

async function write(checked: Checked): Promise<EndpointReply> {
  const { access, ctx, input } = checked;
  const { http, endpoint, id } = checked.call;
  const { reader, quota } = checked.limits;
  const slot = endpoint.long
    ? await http.slots.longWrite(reader, modeOf(checked))
    : await http.slots.write({
        merchant: reader,
        payment: endpoint.movesMoney && id !== null ? `${ctx.environment.id} ${id}` : null,
      });
  let reply: RenderedReply;
  try {
    // Requests ahead in the queue may have spent the budgets, and the access may have been revoked.
    if (slot.waited) {
      http.responseLimiter.check(reader);
      quota?.check();
      await access.reauthorize();
    }
    reply = await replyOf(checked, input.replayOnly ? replayStored(ctx) : run(checked));
    if (!reply.replayed) quota?.add((reply.long?.bytes ?? bytesOf(reply.body)) + (reply.keptBytes ?? 0));
  } finally {
    slot.release();
  }
  return reply.long ? readLong(checked, reply, reply.long) : reply;
}

/** The write is done and its response stored: a caller that is refused here gets it with the same key. */
async function readLong(
  { call: { http }, limits: { reader } }: Checked,
  reply: EndpointReply,
  long: NonNullable<VerbReply["long"]>,
): Promise<EndpointReply> {
  const unsent = await http.slots.unsent(reader);
  try {
    return { ...reply, body: await long.read(), sent: unsent.release };
  } catch (error) {
    unsent.release();
    throw error;
  }
}

async function run({ call, ctx, input }: Checked): Promise<VerbReply | object> {
  const served = findServed(call.endpoint);
  if (!served) throw new Error(`${call.endpoint.name} has no verb`);
  return served.run(ctx, input.values as never);
}

/** Renders a verb's result, and counts its bytes. */
async function replyOf({ call, limits }: Checked, result: Promise<VerbReply | object>): Promise<RenderedReply> {
  try {
    const made = await result;
    const reply: RenderedReply =
      "replayed" in made ? made : { status: call.endpoint.status, body: await jsonBody(made), replayed: false, made };
    call.log.object = reply.made ?? null;
    call.http.responseLimiter.charge(limits.reader, reply.long?.bytes ?? bytesOf(reply.body));
    return reply;
  } catch (error) {
    if (error instanceof AppError) call.http.responseLimiter.charge(limits.reader, error.readBytes);
    throw error;
  }
}

/** Reads by staff count as live. */
const modeOf = ({ ctx }: Checked) => (ctx.actor.type === "staff" ? "live" : ctx.environment.mode);
