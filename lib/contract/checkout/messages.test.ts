import { expect, test } from "vitest";
import { type FrameMessage, type ParentMessage, readFrameMessage, readParentMessage, wrap } from "./messages";

const FRAME: FrameMessage[] = [
  { type: "hello" },
  { type: "ready" },
  { type: "resize", height: 312 },
  { type: "change", complete: true, empty: false, processing: false },
  { type: "action_required", kind: "three_d_secure" },
  {
    type: "success",
    client_session_id: "cs_1",
    payment_id: "pay_1",
    status: "CAPTURED",
    payment_token: null,
    return_url: null,
  },
  { type: "error", code: "card_declined", message: "No.", attempts_left: 4 },
  { type: "expired" },
];
const PARENT: ParentMessage[] = [
  { type: "init" },
  { type: "init", appearance: { preset: "night", border_radius: 3 }, locale: "de", button: false },
  { type: "update", appearance: { accent_color: "#123" } },
  { type: "submit" },
];

test("every message arrives unchanged, and only at the other side", () => {
  for (const message of FRAME) {
    expect(readFrameMessage(structuredClone(wrap(message)))).toEqual(message);
    expect(readParentMessage(wrap(message))).toBeNull();
  }
  for (const message of PARENT) {
    expect(readParentMessage(structuredClone(wrap(message)))).toEqual(message);
    expect(readFrameMessage(wrap(message))).toBeNull();
  }
});

test.each<unknown>([
  null,
  "hello",
  {},
  { type: "ready" },
  { source: "cardlane" },
  { source: "other", type: "ready" },
  { source: "cardlane", type: "toString" },
  { source: "cardlane", type: "__proto__" },
  { source: "cardlane", type: "ready", card: "4242424242424242" },
  { source: "cardlane", type: "resize", height: "12" },
  { source: "cardlane", type: "resize", height: Number.NaN },
  { source: "cardlane", type: "resize", height: 1e9 },
  { source: "cardlane", type: "success", payment_id: "pay_1" },
])("%j is not a message from the form", (data) => expect(readFrameMessage(data)).toBeNull());

test.each<unknown>([
  { source: "cardlane", type: "submit", card: {} },
  { source: "cardlane", type: "init", locale: "xx" },
  { source: "cardlane", type: "update", appearance: { accent_color: "red;}" } },
  { source: "cardlane", type: "update", appearance: { font_family: "x;y" } },
  { source: "cardlane", type: "update", appearance: { toString: "x" } },
  { source: "cardlane", type: "update", appearance: { preset: "toString" } },
  { source: "cardlane", type: "update", button: "no" },
])("%j is not a message from the merchant's page", (data) => expect(readParentMessage(data)).toBeNull());
