import { expect, test } from "vitest";
import { nextSend, type RequestRecord } from "./keyed-request";

const HOUR_MS = 3_600_000;
const request = { address: "POST /v1/subscriptions/{id}/resume", params: { id: "sub_1" } } as const;
const sent = (key: string): RequestRecord => ({ subject: "resume sub_1", title: "Resume", request, key, sentAt: 0 });

test("a request with an unknown outcome is repeated under its key, for as long as the key is kept", () => {
  const own = sent("own");
  expect(nextSend(own, own, HOUR_MS)).toEqual({ kind: "repeat", record: own });
  expect(nextSend(own, null, HOUR_MS), "another tab got its result").toEqual({ kind: "repeat", record: own });
  expect(nextSend(own, own, 23 * HOUR_MS), "the dialog was open for a day").toEqual({ kind: "show", record: own });
});

test("a new request is not sent while another tab's has an unknown outcome", () => {
  expect(nextSend(null, sent("other"), HOUR_MS)).toEqual({ kind: "show", record: sent("other") });
  expect(nextSend(null, null, HOUR_MS)).toEqual({ kind: "first" });
});
