import { newId } from "@/lib/ids";
import type { InquireRequest } from "@/lib/processor/port";

/** What every call names besides its reference. */
export const CALLED = {
  challengePage: "https://cardlane.example/challenge/of-this-payment",
  objects: [],
  keep: async () => {},
};

/** The question what became of a reference. */
export function inquiry(reference: string, request: Partial<InquireRequest> = {}): InquireRequest {
  return { ...CALLED, reference, account: newId(), kind: "authorize", authorization: reference, ...request };
}
