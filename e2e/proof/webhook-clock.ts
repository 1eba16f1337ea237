import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { nowMs } from "@/lib/clock";

/** A clock that is ahead of the database's by what a file says: one for all processes that are given the file. */
export class DeliveryClock {
  constructor(readonly file: string) {}

  #aheadMs(): number {
    return Number(readFileSync(this.file, "utf8"));
  }

  now(): Date {
    return new Date(nowMs() + this.#aheadMs());
  }

  /** Written beside it and moved there: nobody reads half a number. */
  set(aheadMs: number): void {
    writeFileSync(`${this.file}.new`, String(Math.round(aheadMs)));
    renameSync(`${this.file}.new`, this.file);
  }

  forwardTo(at: Date): void {
    this.set(Math.max(this.#aheadMs(), at.getTime() - nowMs()));
  }
}
