import { Resources } from "./api.ts";
import { type ClientOptions, Transport } from "./transport.ts";
import { verify, verifyThin } from "./webhooks.ts";

export type * from "./api.ts";
export * from "./errors.ts";
export type { StreamOptions } from "./event-stream.ts";
export type { DeclineCode, ErrorCode, Problem } from "./problem.ts";
export type { ClientOptions, FileToUpload, PageResult, RequestOptions, ResponseInfo, Result } from "./transport.ts";
export { type ThinEvent, type VerifyOptions, type WebhookHeaders, WebhookVerificationError } from "./webhooks.ts";

/** The Cardlane API. Create one client per API key and reuse it. */
export class Cardlane extends Resources {
  /** Verifies webhooks. */
  static readonly webhooks = { verify, verifyThin };
  /** Verifies webhooks. */
  readonly webhooks = Cardlane.webhooks;

  constructor(options: ClientOptions) {
    super(new Transport(options));
  }
}
