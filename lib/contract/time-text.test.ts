import { describe, expect, test } from "vitest";
import { dateText, fullTimeText, relativeTimeText, timeText } from "./format";

const now = new Date("2026-11-21T12:00:00.000Z");
const ago = (seconds: number) => relativeTimeText(new Date(now.getTime() - seconds * 1_000), now);

describe("times as text", () => {
  test("use the given time zone", () => {
    const at = new Date("2026-11-20T23:30:00.000Z");
    expect(timeText(at, "UTC", now)).toBe("Nov 20, 23:30");
    expect(timeText(at, "Europe/Berlin", now)).toBe("Nov 21, 00:30");
    expect(dateText(at, "Europe/Berlin")).toBe("Nov 21, 2026");
    expect(fullTimeText(at, "UTC")).toBe("Fri, Nov 20, 2026, 23:30:00 UTC");
  });

  test("include the year if it isn't the current one", () => {
    expect(timeText(new Date("2025-12-31T23:30:00.000Z"), "UTC", now)).toBe("Dec 31, 2025, 23:30");
    expect(timeText(new Date("2025-12-31T23:30:00.000Z"), "Asia/Tokyo", now)).toBe("Jan 1, 08:30");
  });

  test("are relative to now, never rounded up", () => {
    expect(ago(20)).toBe("just now");
    expect(ago(119)).toBe("1 minute ago");
    expect(ago(7_100)).toBe("1 hour ago");
    expect(ago(86_400 * 6)).toBe("6 days ago");
    expect(ago(-90)).toBe("in 1 minute");
    expect(ago(-20)).toBe("in less than a minute");
  });
});
