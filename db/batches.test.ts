import postgres from "postgres";
import { describe, expect, test } from "vitest";
import { inBatches } from "./batches";

type Row = { readonly name: string; readonly subjects?: readonly string[] };

/** A place to write to whose statements end when they are told to. */
function writer(alone: (row: Row) => Promise<string> = async ({ name }) => `${name} alone`) {
  const statements: { names: string[]; end: (error?: Error, left?: readonly string[]) => void }[] = [];
  const single: string[] = [];
  const pauses: (() => void)[] = [];
  const write = inBatches<Row, string>(
    {
      send: (rows) =>
        new Promise((resolve, reject) => {
          const names = rows.map(({ name }) => name);
          const end = (error?: Error, left: readonly string[] = []) =>
            error
              ? reject(error)
              : resolve(names.map((name) => (left.includes(name) ? undefined : `${name} together`)));
          statements.push({ names, end });
        }),
      alone: (row) => {
        single.push(row.name);
        return alone(row);
      },
      subjectsOf: ({ name, subjects }) => subjects ?? [name],
    },
    { wait: () => new Promise((resolve) => pauses.push(resolve)) },
  );
  return {
    write,
    statements,
    single,
    endPauses: () => {
      for (const end of pauses.splice(0)) end();
    },
  };
}

const refusal = (message: string) => Object.assign(new postgres.PostgresError(message), { code: "22P02" });
const named = (...names: string[]) => names.map((name) => ({ name }));
const soon = () => new Promise((resolve) => setImmediate(resolve));

/** A row that is under way, alone, until it is let go; so is each that goes alone after it. */
function busy() {
  const ends: (() => void)[] = [];
  const made = writer(({ name }) => new Promise((resolve) => ends.push(() => resolve(`${name} alone`))));
  const first = made.write({ name: "first" });
  return { ...made, first, letGo: (i: number) => ends[i]?.() };
}

describe("rows that are written together", () => {
  test("nobody waits for company: who comes when nothing is under way goes at once, and alone", async () => {
    const { write, single } = writer();
    const answer = write({ name: "a" });
    expect(single).toEqual(["a"]);
    expect(await answer).toBe("a alone");
  });

  test("who comes meanwhile goes with all who wait, when the one before is done", async () => {
    const { write, statements, single, first, letGo } = busy();
    const later = named("c", "d", "e").map(write);
    expect([single, statements.length]).toEqual([["first"], 0]);
    letGo(0);
    await first;
    await soon();
    expect(statements.map(({ names }) => names)).toEqual([["c", "d", "e"]]);
    statements[0]?.end();
    expect(await Promise.all(later)).toEqual(["c together", "d together", "e together"]);
  });

  test("at most sixteen go at once", async () => {
    const { write, statements, letGo } = busy();
    for (let i = 0; i < 20; i++) void write({ name: `row ${i}` });
    letGo(0);
    await soon();
    expect(statements.map(({ names }) => names.length)).toEqual([16]);
    statements[0]?.end();
    await soon();
    expect(statements.map(({ names }) => names.length)).toEqual([16, 4]);
  });

  test("two about the same thing never go together, nor beside each other, and keep their order", async () => {
    const { write, statements, single, letGo } = busy();
    const [a, b] = [write({ name: "a", subjects: ["x"] }), write({ name: "b", subjects: ["x", "y"] })];
    void write({ name: "c" });
    letGo(0);
    await soon();
    expect([statements.map(({ names }) => names), single]).toEqual([[["a", "c"]], ["first"]]);
    statements[0]?.end();
    expect(await a).toBe("a together");
    await soon();
    expect(single).toEqual(["first", "b"]);
    void b;
  });

  test("one that was left out goes alone, and keeps nobody waiting", async () => {
    const { write, statements, single, letGo } = busy();
    const [a, b] = named("a", "b").map(write);
    letGo(0);
    await soon();
    statements[0]?.end(undefined, ["a"]);
    expect(await b).toBe("b together");
    expect(single).toEqual(["first", "a"]);
    letGo(1);
    expect(await a).toBe("a alone");
  });

  test("those who wait for a lock keep the others from going for moments only", async () => {
    const { write, statements, single, first, letGo, endPauses } = busy();
    const later = named("c", "d").map(write);
    await soon();
    expect(statements).toEqual([]);
    endPauses();
    await soon();
    statements[0]?.end();
    expect(await Promise.all(later)).toEqual(["c together", "d together"]);
    expect(single).toEqual(["first"]);
    letGo(0);
    expect(await first).toBe("first alone");
  });

  test("who waits for what a slow one is about waits for moments, and then beside it", async () => {
    const { write, single, first, letGo, endPauses } = busy();
    const next = write({ name: "next", subjects: ["first"] });
    await soon();
    expect(single).toEqual(["first"]);
    endPauses();
    await soon();
    expect(single).toEqual(["first", "next"]);
    letGo(0);
    letGo(1);
    expect(await Promise.all([first, next])).toEqual(["first alone", "next alone"]);
  });

  test("what the server refused is sent row by row, so that one bad row fails for itself", async () => {
    const bad = refusal("bad");
    const { write, statements } = writer(async ({ name }) => {
      if (name === "bad") throw bad;
      if (name === "first") await soon();
      return `${name} alone`;
    });
    void write({ name: "first" });
    const answers = named("a", "bad", "b").map(write);
    const settled = Promise.allSettled(answers);
    await soon();
    await soon();
    statements[0]?.end(refusal("one of them is bad"));
    expect(await settled).toMatchObject([{ value: "a alone" }, { reason: bad }, { value: "b alone" }]);
  });

  const shutdown = Object.assign(new postgres.PostgresError("terminating connection"), { code: "57P01" });
  test.each([
    ["a lost connection", new Error("the connection was lost")],
    ["a server that ends", shutdown],
  ])("what nobody knows the end of is not sent again: each caller hears of %s", async (_, error) => {
    const { write, statements, single, letGo } = busy();
    const settled = Promise.allSettled(named("a", "b").map(write));
    letGo(0);
    await soon();
    statements[0]?.end(error);
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(single).toEqual(["first"]);
  });
});
