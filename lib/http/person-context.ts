import type { Context, Service } from "@/lib/domain/context";

/** A call of the domain by a person in a browser, outside of /v1: without an idempotency key. */
export function personContext(service: Service, call: Pick<Context, "environment" | "actor" | "request">): Context {
  return {
    service,
    ...call,
    idempotency: null,
    reauthorize: async () => {},
  };
}
