import { siteOf } from "@/lib/network";
import { Semaphore } from "@/lib/semaphore";
import { refuseRequest, type ServerRefusal } from "./gate";
import type { Listener } from "./http-server";
import { isPaymentForm } from "./page-limits";

/**
 * Limits concurrent page renders, because rendering is single-threaded. Slots are assigned round-robin by
 * address, none may hold all, and payment forms have their own. A page still running after `HOLD_MS` waits
 * for the database, a bank or a slow caller, and releases its slot.
 */
const SLOTS = { slots: 3, perKey: 2, maxWaiting: 50, waitMs: 10_000 };
const HOLD_MS = 250;

const BUSY: ServerRefusal = {
  status: 503,
  sentence: "The service has too many pages to show at once. Wait a moment, and load the page again.",
  headers: { "Retry-After": "2" },
};

export function withPageSlots(pages: Listener): Listener {
  const [formSlots, pageSlots] = [new Semaphore(SLOTS), new Semaphore(SLOTS)];
  return async (request, response) => {
    const slots = isPaymentForm(request) ? formSlots : pageSlots;
    const slot = await slots.acquire(siteOf(String(request.headers["x-forwarded-for"] ?? ""))).catch(() => null);
    if (!slot) {
      refuseRequest(request, response, BUSY);
      return;
    }
    if (response.destroyed) {
      slot.release();
      return;
    }
    response.once("close", () => slot.release());
    setTimeout(() => slot.release(), HOLD_MS).unref();
    await pages(request, response);
  };
}
