import { setImmediate as letOthersGo } from "node:timers/promises";
import type { Body } from "./answer";

/** Characters of JSON that are made in about half a millisecond. */
const PIECE = 64 * 1024;

/**
 * The same text as `JSON.stringify`, made in pieces between which others get the process: a list of 5 MB in one would hold it
 * for 30 ms. What is short is one string.
 */
export async function jsonBody(value: object): Promise<Body> {
  const done: Uint8Array[] = [];
  let piece = "";
  for (const text of textsOf(value)) {
    piece += text;
    if (piece.length < PIECE) continue;
    done.push(Buffer.from(piece));
    piece = "";
    await letOthersGo();
  }
  if (done.length === 0) return piece;
  done.push(Buffer.from(piece));
  return done;
}

/** Lists of objects item by item, at any depth; everything else at once. */
function* textsOf(value: unknown): Generator<string, void> {
  if (isListOfObjects(value)) {
    let lead = "[";
    for (const item of value) {
      yield lead;
      yield* textsOf(item);
      lead = ",";
    }
    yield "]";
  } else if (holdsList(value)) {
    let lead = "{";
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${lead}${JSON.stringify(name)}:`;
      yield* textsOf(member);
      lead = ",";
    }
    yield "}";
  } else yield JSON.stringify(value);
}

const isListOfObjects = (value: unknown): value is object[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "object" && item !== null);

function holdsList(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  for (const name in value) if (isListOfObjects((value as Record<string, unknown>)[name])) return true;
  return false;
}
