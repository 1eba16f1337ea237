import { describe, expect, test } from "vitest";
import { TRANSACTION_STATUSES } from "@/lib/contract/transactions/words";
import { EVENT_TYPES, EVENTS, type Event, eventSchema } from "./event";

test("each transaction status has an event, and no other word has one", () => {
  const types = TRANSACTION_STATUSES.map((status) => `transaction.${status.toLowerCase()}`);
  expect(EVENT_TYPES.filter((type) => type.startsWith("transaction.")).toSorted()).toEqual(types.toSorted());
});

const envelope = {
  id: "evt_01jd4c8p8geq1snd8a5v7a8z2m",
  object: "event",
  api_version: "v1",
  environment: "sandbox",
  sequence: 1,
  created_at: "2026-11-20T09:30:00.316Z",
} as const;

describe.each(EVENT_TYPES)("%s", (type) => {
  const { summary, example, data } = EVENTS[type];

  test("has a sentence as description, and a name that begins with its object", () => {
    expect(summary).toMatch(/^[A-Z].*[^.]\.$/);
    expect(type).toMatch(/^[a-z_]+\.[a-z_]+$/);
  });

  test("its example matches its schema, member for member", () => {
    expect(data.parse(example)).toEqual(example);
    const { object, previous } = example;
    for (const [name, was] of Object.entries(previous ?? {})) {
      expect(object, name).toHaveProperty(name);
      if (name !== "transactions") expect(object[name as never], name).not.toEqual(was);
    }
  });

  test("fits its own type's schema and no other", () => {
    const event = { ...envelope, type, data: example } as Event;
    expect(eventSchema(type).parse(event)).toEqual(event);
    expect(eventSchema(type).safeParse({ ...event, type: "payment.lost" }).success).toBe(false);
    expect(eventSchema(type).safeParse({ ...event, sequence: 0 }).success).toBe(false);
    expect(eventSchema(type).safeParse({ ...event, data: { object: example.object } }).success).toBe(false);
  });
});
