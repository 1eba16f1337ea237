import { randomUUID } from "node:crypto";
import type Stripe from "stripe";
import type { AcceptedCard, CardHolder, TokenizedCard } from "../cards";
import { type ConnectorOptions, connector } from "../connector";
import type { Processor } from "../port";
import { checkConnection, dashboardUrl, isMissing, readDispute, statement } from "./account";
import { toStripe } from "./amounts";
import { Budget, createClient, post, toRequestFailure } from "./api";
import { credentials, FIELDS, type StripeCredentials } from "./credentials";
import { cardStore, createCustomers } from "./customers";
import { respondToDispute } from "./disputes";
import { brandOf, knownCard, METADATA } from "./outcomes";
import { payments } from "./payments";
import { EVENTS, stripeReports } from "./reports";
import { refusedToken, TOKEN } from "./tokens";

/**
 * A request may still be executed this long after its timeout. Beyond that, only canceling proves anything.
 */
const QUIET_AFTER_MS = 2_000;

export function createStripeProcessor(options: ConnectorOptions<StripeCredentials>): Processor {
  const { name, settings, timeoutMs, clock, endpoint, journal } = options;
  const { secret_key: secretKey, webhook_secret: webhookSecret } = options.credentials;
  const { live, rawCards, metadataKeys } = settings;
  const stripe = createClient(secretKey, timeoutMs, endpoint);
  const customers = createCustomers(stripe, journal);
  const budget = () => new Budget(timeoutMs);

  const tokenize: Processor["tokenize"] = async (account, card, holder): Promise<TokenizedCard> => {
    if (!rawCards) throw new Error("this connection takes no card numbers");
    const { number, exp_month, exp_year, cvv } = card;
    const shown = { bin: number.slice(0, 6), last4: number.slice(-4), exp_month, exp_year };
    try {
      const { id, card: known } = await post(budget(), randomUUID(), (request) =>
        stripe.paymentMethods.create(
          {
            type: "card",
            card: { number, exp_month, exp_year, cvc: cvv },
            ...(holder && { billing_details: billingDetails(holder) }),
            metadata: { [METADATA.account]: account },
          },
          request,
        ),
      );
      const fingerprint = known?.fingerprint;
      return { token: id, brand: brandOf(known?.brand), ...shown, ...(fingerprint && { fingerprint }) };
    } catch (error) {
      const failure = toRequestFailure(error);
      // The payment with this card is then declined for the same reason.
      if (failure.kind === "card") return { token: refusedToken(failure.code), brand: null, ...shown };
      throw error;
    }
  };

  const acceptToken = async (account: string, token: string): Promise<AcceptedCard | null> => {
    if (!TOKEN.test(token)) return null;
    try {
      const { card, metadata } = await stripe.paymentMethods.retrieve(token, {}, budget().options());
      const owner = metadata?.[METADATA.account] ?? account;
      return card && owner === account ? { token, ...knownCard(card) } : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  };

  return {
    name,
    capabilities: { partialCapture: true, rawCards, ownIds: true, ownTokens: true, storedCards: true },
    notFoundConclusiveAfterMs: QUIET_AFTER_MS,
    tokenize,
    acceptToken,
    refusesAmount: (amount, currency) => {
      const money = toStripe(amount, currency);
      return typeof money === "string" ? money : null;
    },
    requireReadable: () => {},
    ...payments(stripe, customers, timeoutMs, metadataKeys),
    ...cardStore(stripe, customers, timeoutMs),
    reports: stripeReports(stripe, { webhookSecret, live, clock }),
    readDispute: (id) => readDispute(stripe, budget(), id),
    respondToDispute: (request) => respondToDispute(stripe, budget(), request),
    statement: (range) => statement(stripe, range),
    checkConnection: () => checkConnection(stripe, budget(), { secretKey, live }),
    // Stripe's dashboard knows nothing of another endpoint's objects.
    dashboardUrl: (object) => (endpoint === undefined ? dashboardUrl(object, live) : null),
    // Stores no attempts.
    forgetOldAttempts: async () => 0,
  };
}

/** Address to verify, which Stripe takes only with the card. */
function billingDetails({ name, address }: CardHolder): Stripe.PaymentMethodCreateParams.BillingDetails {
  const given = Object.entries(address ?? {}).filter((part): part is [string, string] => part[1] !== null);
  return { ...(name !== null && { name }), ...(given.length > 0 && { address: Object.fromEntries(given) }) };
}

export const STRIPE = connector<StripeCredentials>({
  key: "stripe",
  label: "Stripe",
  fields: FIELDS,
  credentials,
  webhook: {
    where:
      "In Stripe under Developers → Webhooks, add a destination for events of your account, with this address and these events.",
    events: EVENTS,
    accepted: "",
  },
  takesMetadata: true,
  hint: ({ secret_key }) => `${secret_key.slice(0, 8)}…${secret_key.slice(-4)}`,
  create: createStripeProcessor,
});
