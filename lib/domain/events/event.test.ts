import { expect, expectTypeOf, test } from "vitest";
import type { EventData } from "@/lib/contract/events/event";
import { type charge, session } from "@/lib/contract/example-objects";
import { plan } from "@/lib/contract/subscriptions/example-objects";
import { changedMembers, newEvent } from "./event";

test("changed members have their previous values, nested ones as a whole, and nothing else is included", () => {
  const before = { status: "DRAFT", name: "Pro", tags: { a: 1 }, note: null as string | null, kept: [1, { b: 2 }] };
  const after = { status: "ACTIVE", name: "Pro", tags: { a: 2 }, note: "x", kept: [1, { b: 2 }] };
  expect(changedMembers(before, after)).toEqual({ status: "DRAFT", tags: { a: 1 }, note: null });
  expect(changedMembers(after, after)).toEqual({});
});

test("an event accepts only the data of its own type", () => {
  const about = { objectId: "019aa0c4-5a10-7c3e-9d21-6f0b8e4a7c15", operationId: null };
  const at = "2026-11-27T12:00:00.000Z";
  expect(JSON.parse(newEvent("subscription_plan.created", about, { object: plan, previous: null }, at).data)).toEqual({
    object: plan,
    previous: null,
  });
  expectTypeOf<EventData<"refund.failed">["object"]>().toEqualTypeOf<typeof charge>();
  // @ts-expect-error: a session is not a plan.
  newEvent("subscription_plan.created", about, { object: session, previous: null }, at);
  // @ts-expect-error: this type does not exist.
  newEvent("subscription_plan.deleted", about, { object: plan, previous: null }, at);
  // @ts-expect-error: `previous` is required.
  newEvent("subscription_plan.updated", about, { object: plan }, at);
});
