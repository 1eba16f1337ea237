import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { nowMs } from "@/lib/clock";

/**
 * A clock ahead of the database's by the offset in a file, shared by all processes that are given the file.
 */
export class DeliveryClock {
  constructor(readonly file: string) {}

  #aheadMs(): number {
    return Number(readFileSync(this.file, "utf8"));
  }

  now(): Date {
    return new Date(nowMs() + this.#aheadMs());
  }

  /** Written beside the file and renamed, so that no reader sees half a number. */
  set(aheadMs: number): void {
    writeFileSync(`${this.file}.new`, String(Math.round(aheadMs)));
    renameSync(`${this.file}.new`, this.file);
  }

  forwardTo(at: Date): void {
    this.set(Math.max(this.#aheadMs(), at.getTime() - nowMs()));
  }
}
