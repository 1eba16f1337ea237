import { describe, expect, it } from "vitest";
import { AuthenticationError, Cardlane, InvalidRequestError, RateLimitError } from "./index.ts";
import { API_KEY, broken, clientOf, problem, type Step } from "./scripted-service.ts";

describe("the stream of events", () => {
  const frames = (...ids: string[]) =>
    new Response(
      new ReadableStream({
        start(controller) {
          const text = ids.map((id) => `id: ${id}\nevent: payment.captured\ndata: {"id":"${id}"}\n\n`).join("");
          // Split in the middle of a line, then cut off.
          for (const part of [": still here\n\n", text.slice(0, 9), text.slice(9)]) {
            controller.enqueue(new TextEncoder().encode(part));
          }
          controller.close();
        },
      }),
    );

  it("reconnects after the last event when its connection is lost, and ends with the loop", async () => {
    const { cardlane, sent } = clientOf([
      frames("evt_1", "evt_2"),
      broken(),
      problem(503, "internal_error"),
      frames("evt_3"),
    ]);
    const ids: string[] = [];
    for await (const { id } of cardlane.events.stream({ lastEventId: "evt_0" })) {
      ids.push(id);
      if (id === "evt_3") break;
    }
    expect(ids).toEqual(["evt_1", "evt_2", "evt_3"]);
    expect(sent.map(({ headers }) => headers.get("last-event-id"))).toEqual(["evt_0", "evt_2", "evt_2", "evt_2"]);
  });

  it("reconnects at its start when its connection is lost before the first event", async () => {
    const begun = new Response("retry: 2000\nid: start_7:9:8\n\n");
    const { cardlane, sent } = clientOf([begun, broken(), frames("evt_1")]);
    for await (const { id } of cardlane.events.stream()) {
      expect(id).toBe("evt_1");
      break;
    }
    expect(sent.map(({ headers }) => headers.get("last-event-id"))).toEqual([null, "start_7:9:8", "start_7:9:8"]);
  });

  it("ends quietly when the caller aborts it", async () => {
    const giveUp = new AbortController();
    const { cardlane } = clientOf([frames("evt_1"), "silence"]);
    const ids: string[] = [];
    for await (const { id } of cardlane.events.stream({ signal: giveUp.signal })) {
      ids.push(id);
      setImmediate(() => giveUp.abort(new Error("enough")));
    }
    expect(ids).toEqual(["evt_1"]);
  });

  it.each<[string, () => Step, object]>([
    ["a lost connection", broken, { name: "ConnectionError", message: expect.stringContaining("ECONNRESET") }],
    ["503", () => problem(503, "internal_error"), { name: "ApiError", status: 503 }],
    ["an empty answer", () => new Response(null, { status: 204 }), { name: "ConnectionError" }],
  ])("throws after its retries when its first connections all end with %s", async (_name, step, expected) => {
    const { cardlane, sent } = clientOf([step(), step(), step()], { maxRetries: 1 });
    await expect(cardlane.events.stream().next()).rejects.toMatchObject(expected);
    expect(sent).toHaveLength(2);
  });

  it("throws where fetch will never connect", async () => {
    const cardlane = new Cardlane({ apiKey: API_KEY, baseUrl: "http://localhost:1", maxRetries: 0 });
    await expect(cardlane.events.stream().next()).rejects.toMatchObject({
      name: "ConnectionError",
      message: "No answer came from the service: bad port.",
    });
  });

  it("reconnects after more losses than a first connection may have", async () => {
    const steps = [frames("evt_1"), broken(), frames("evt_2")];
    const { cardlane, sent } = clientOf(steps, { maxRetries: 0 });
    const ids: string[] = [];
    for await (const { id } of cardlane.events.stream()) {
      ids.push(id);
      if (id === "evt_2") break;
    }
    expect([ids, sent.length]).toEqual([["evt_1", "evt_2"], 3]);
  });

  it("never sends an id that a header can't carry", async () => {
    const { cardlane, sent } = clientOf([]);
    const next = cardlane.events.stream({ lastEventId: "evt_☃" }).next();
    await expect(next).rejects.toBeInstanceOf(InvalidRequestError);
    expect(sent).toEqual([]);
  });

  it("throws errors that a retry won't fix", async () => {
    const { cardlane } = clientOf([problem(401, "api_key_invalid")]);
    await expect(cardlane.events.stream().next()).rejects.toBeInstanceOf(AuthenticationError);
  });

  it("throws a refusal with a Retry-After of an hour, instead of waiting silently", async () => {
    const busy = () => {
      const { cardlane } = clientOf([
        Response.json({ code: "rate_limited", detail: "Later." }, { status: 429, headers: { "retry-after": "3600" } }),
      ]);
      return cardlane.events.stream().next();
    };
    await expect(busy()).rejects.toBeInstanceOf(RateLimitError);
  });
});
