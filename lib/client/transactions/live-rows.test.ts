import { describe, expect, test } from "vitest";
import { firstRows, type LiveRows, settleRows, waitingRows } from "./live-rows";

type Row = { id: string; status: string };
const row = (id: number, status = "CAPTURED"): Row => ({ id: `txn_${String(id).padStart(3, "0")}`, status });
const ids = (shown: LiveRows<Row>) => shown.rows.map((some) => Number(some.id.slice(4)));

const three = [row(3), row(2), row(1)];
const start = firstRows("", three);

describe("while no row is hovered", () => {
  test("new rows appear immediately and are highlighted", () => {
    const shown = settleRows(start, { key: "", response: [row(5), row(4), ...three.slice(0, 1)], hold: false });
    expect(ids(shown)).toEqual([5, 4, 3]);
    expect([...shown.fresh]).toEqual(["txn_005", "txn_004"]);
    expect(waitingRows(shown)).toEqual({ added: 0, changed: false });
  });

  test("rows that move up from the next page are not new", () => {
    const shown = settleRows(start, { key: "", response: [row(3), row(1), row(0)], hold: false });
    expect(ids(shown)).toEqual([3, 1, 0]);
    expect(shown.fresh.size).toBe(0);
  });
});

describe("while a row is hovered", () => {
  const held = (response: Row[], from = start) => settleRows(from, { key: "", response, hold: true });

  test("every row keeps its position, and new ones are held back", () => {
    const shown = held([row(5), row(4), ...three]);
    expect(ids(shown)).toEqual([3, 2, 1]);
    expect(waitingRows(shown)).toEqual({ added: 2, changed: true });
    const released = settleRows(shown, { key: "", response: shown.response, hold: false });
    expect(ids(released)).toEqual([5, 4, 3, 2, 1]);
    expect(released.fresh.size).toBe(2);
  });

  test("changed rows change in place, and the others stay the same objects", () => {
    const shown = held([row(3), row(2, "REFUNDED"), three[2] as Row]);
    expect(shown.rows.map((some) => some.status)).toEqual(["CAPTURED", "REFUNDED", "CAPTURED"]);
    expect(shown.rows[2]).toBe(three[2]);
    expect(waitingRows(shown)).toEqual({ added: 0, changed: false });
  });

  test("a row that left the response stays until the pointer leaves", () => {
    const shown = held([row(3), row(1)]);
    expect(ids(shown)).toEqual([3, 2, 1]);
    expect(waitingRows(shown)).toEqual({ added: 0, changed: true });
  });

  test("the same response changes nothing at all", () => {
    expect(held(three)).toBe(start);
    const again = held([...three]);
    expect(again.rows).toBe(start.rows);
  });

  test("an empty list holds nothing back", () => {
    expect(ids(held([row(4)], firstRows<Row>("", [])))).toEqual([4]);
  });
});

test("another query has its own rows, hovered or not", () => {
  const shown = settleRows(start, { key: "status=DECLINED", response: [row(9)], hold: true });
  expect(ids(shown)).toEqual([9]);
  expect(shown.fresh.size).toBe(0);
});
