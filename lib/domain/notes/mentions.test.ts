import { expect, test } from "vitest";
import { mentionedIn } from "./mentions";

const TEAM = ["Ann", "Ann Lee", "Zoë O’Brien", "李小龍", "ben@shop.example"].map((handle) => ({ handle }));

test.each([
  ["@Ann please look", ["Ann"]],
  ["@ann lee, and @BEN@shop.example.", ["Ann Lee", "ben@shop.example"]],
  ["thanks @zoë o’brien!", ["Zoë O’Brien"]],
  ["@李小龍 看", ["李小龍"]],
  ["@Ann @Ann", ["Ann"]],
  ["@Anna, Ann, mail to x@annex.example", []],
  ["@", []],
])("%s", (text, handles) => {
  expect(mentionedIn(text, TEAM).map(({ handle }) => handle)).toEqual(handles);
});

test("colleagues who share a name are both mentioned, and an empty name is none", () => {
  const same = [{ handle: "Sam" }, { handle: "sam" }, { handle: "" }];
  expect(mentionedIn("@SAM", same)).toEqual(same.slice(0, 2));
  expect(mentionedIn("@ nobody", same)).toEqual([]);
});
