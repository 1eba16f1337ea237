import type { Problem } from "./errors";

export type ErrorGuideEntry = {
  /** Why this answer comes. */
  cause: string;
  /** What to do about it. */
  cure: string;
  /** Whether and how to send the request again. */
  retry: string;
  /** An example of the answer: its `detail`, the path, and the members that this code adds. */
  example: { detail: string; instance: string } & Partial<Problem>;
};
