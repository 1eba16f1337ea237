/** Requests to /v1 that are kept in this browser, with their idempotency key, until their outcome is known. */
import { callApi, type EndpointAddress, type Needed, type ResponseOf } from "@/lib/client/api";
import type { Mode } from "@/lib/contract/transactions/words";
import { canRetry, notifyRecordListeners, requestRecords } from "./money-record";

/** A call as data, so that it can be repeated unchanged after a reload. */
export type KeyedRequest<Data> = {
  readonly address: EndpointAddress;
  readonly params?: Record<string, string>;
  readonly body?: unknown;
  /** Never set; it carries the type of the response. */
  readonly response?: Data;
};

export function keyedRequest<A extends EndpointAddress>(address: A, given: Needed<A>): KeyedRequest<ResponseOf<A>> {
  return { address, ...(given as Pick<KeyedRequest<never>, "params" | "body">) };
}

export function sendKeyed<Data>(
  mode: Mode,
  { address, params, body }: KeyedRequest<Data>,
  idempotencyKey: string,
): Promise<{ data: Data; status: number }> {
  const options = { mode, idempotencyKey, ...(params && { params }), ...(body !== undefined && { body }) };
  return callApi(address, options as never) as Promise<{ data: Data; status: number }>;
}

/** A request that was sent and has no known outcome. */
export type RequestRecord = {
  /** The object it acts on: "resume sub_…". A second request on the same subject repeats the first. */
  readonly subject: string;
  /** Title of its dialog. */
  readonly title: string;
  readonly request: KeyedRequest<unknown>;
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
};

/**
 * The effect of a click. `own`: the dialog's request; `stored`: the one kept for its subject, perhaps by another tab.
 * "show": it may have gone through, and sending it again now might run it twice.
 */
export function nextSend(
  own: RequestRecord | null,
  stored: RequestRecord | null,
  now: number,
): { readonly kind: "first" } | { readonly kind: "repeat" | "show"; readonly record: RequestRecord } {
  if (own) return { kind: canRetry(own, now) ? "repeat" : "show", record: own };
  return stored ? { kind: "show", record: stored } : { kind: "first" };
}

/** Subjects whose dialog is open in this tab; it shows their outcome itself. */
const shown = new Set<string>();

export function requestStore(storage: Storage, owner: { merchantId: string; mode: Mode }) {
  const prefix = `cardlane.request.${owner.mode}.${owner.merchantId}.`;
  const records = requestRecords<RequestRecord>(storage, prefix);
  return {
    find: records.find,
    save: (record: RequestRecord) => records.save(record.subject, record),
    remove: records.remove,
    subscribe: records.subscribe,
    /** Those that no open dialog shows. */
    listHidden: () => records.list().filter(({ subject }) => !shown.has(subject)),
    /** A dialog shows this subject, until the returned function is called. */
    show(subject: string): () => void {
      shown.add(subject);
      notifyRecordListeners();
      return () => {
        shown.delete(subject);
        notifyRecordListeners();
      };
    },
  };
}
