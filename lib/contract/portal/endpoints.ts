import { z } from "zod";
import { BODY_ERRORS, endpoint, IDEMPOTENCY_ERRORS } from "@/lib/contract/endpoint";
import { text, timestamp, webUrl } from "@/lib/contract/fields";

const createPortalSessionBody = z
  .strictObject({
    customer_id: text(255).describe("Your own id for the customer, whose subscriptions and invoices the page shows."),
    return_url: webUrl
      .nullable()
      .default(null)
      .describe("Where the page's link back to you leads. Must use https in live mode."),
  })
  .meta({ id: "CreatePortalSessionRequest" });
export type CreatePortalSessionBody = z.infer<typeof createPortalSessionBody>;

const portalSession = z
  .object({
    object: z.literal("portal_session").describe("Always `portal_session`."),
    url: z.string().meta({ description: "Redirect the customer to it. Contains a token, so it is shown only once." }),
    expires_at: timestamp.describe("When the page ends: an hour after it was created."),
  })
  .meta({ id: "PortalSession" });
export type PortalSession = z.infer<typeof portalSession>;

export const createPortalSession = endpoint({
  name: "createPortalSession",
  method: "POST",
  path: "/v1/portal-sessions",
  tag: "Portal sessions",
  summary: "Create a portal session",
  description:
    "A page on which one customer sees subscriptions and invoices, changes the card, and cancels at the end of the period or takes that back, as far as you allow it under Settings → Subscriptions. Create one each time a signed-in customer asks for it.",
  permissions: ["subscription.write"],
  idempotency: "optional",
  body: createPortalSessionBody,
  status: 201,
  response: portalSession,
  errors: [...BODY_ERRORS, ...IDEMPOTENCY_ERRORS],
});
