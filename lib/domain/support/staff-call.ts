import type { Context, Environment, Service } from "../context";

/** A call by support staff, in no environment of its own. Ids are UUIDs. */
export type StaffCall = {
  readonly service: Service;
  readonly staff: { readonly userId: string };
  readonly request: { readonly id: string; readonly path: string };
};

/** The same as a call in a merchant's environment, for the verbs that only read. */
export function inEnvironment(call: StaffCall, environment: Environment): Context {
  return {
    service: call.service,
    environment,
    actor: { type: "staff", id: call.staff.userId },
    request: { ...call.request, operation: "support" },
    idempotency: null,
    reauthorize: async () => {},
  };
}
