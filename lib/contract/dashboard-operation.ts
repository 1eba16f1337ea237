import type { z } from "zod";
import type { UserPermission } from "./roles";

type Gate = "always" | "live";

/**
 * One endpoint of the dashboard's own: what people do in a browser and no API key may, such as managing the keys. Like the
 * public operations it is defined once for the route, the form's validation and the browser's call.
 */
export type DashboardOperation = {
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With `{mode}` where the environment's mode stands, and `{id}` and the like for ids. */
  readonly path: string;
  /** What the person's role must allow; null = everyone who is signed in. */
  readonly permission: UserPermission | null;
  /** Takes a second factor or the password of the last minutes: always, or in live mode. */
  readonly proof?: Gate;
  /** Hashes a password, or holds a database connection for long: a person may do it a few times a minute. */
  readonly costly?: true;
  /** Takes a proved e-mail address: always, or in live mode. */
  readonly verified?: Gate;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly status: 200 | 201;
  readonly response: z.ZodType;
};

export function dashboardOperation<const O extends DashboardOperation>(definition: O): O {
  return definition;
}
