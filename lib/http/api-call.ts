import type { Endpoint } from "@/lib/contract/endpoint";
import type { Caller } from "./caller";
import type { HttpService } from "./current-service";
import type { RequestInfo, ResponseHeaders } from "./pipeline";
import type { ApiRequest, Connection } from "./request-parts";

/** A request to an endpoint of /v1. */
export type Route = {
  readonly endpoint: Endpoint;
  readonly request: ApiRequest;
  /** The id in the path. */
  readonly id: string | null;
  readonly connection: Connection;
};

/** State of a request that its steps share. */
export type ApiCall = Route & {
  readonly http: HttpService;
  readonly info: RequestInfo;
  /** Headers of the response; a refusal carries them, too. */
  readonly headers: ResponseHeaders;
  readonly log: LogContext;
};

/** Log context, filled while the request is handled. Requests without a caller are not logged. */
export type LogContext = {
  caller: Caller | null;
  key: string | null;
  /** The body as it was sent. */
  sent: unknown;
  /** The object in the response, if there is one. */
  object: object | null;
};
