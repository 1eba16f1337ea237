import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { holdsCardNumber } from "@/lib/contract/card-numbers";
import type { DashboardEndpoint, Endpoint } from "@/lib/contract/endpoint";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { type EndpointName, EXAMPLES } from "@/lib/contract/examples";
import { trimmed } from "@/lib/contract/input";
import { DASHBOARD_ENDPOINTS } from "@/lib/http/dashboard-endpoints";
import type { Spelled } from "./canaries";
import type { Push } from "./card-data-paths";
import {
  cardOf,
  type Doors,
  type Field,
  fieldsOf,
  inUrl,
  isWithin,
  type Place,
  SAME_ORIGIN,
  takesUrl,
  withValue,
} from "./card-data-places";

/** Operations of the dashboard and of shoppers, in addition to the merchant API. */
const PEOPLES: readonly DashboardEndpoint[] = DASHBOARD_ENDPOINTS.map(({ endpoint }) => endpoint);

/** Valid bodies, so that a refusal is due to the card number in them. */
const SAMPLES: Record<string, object> = {
  updatePreferences: { times: "utc", shortcuts: true },
  updateAccount: { name: "Ada Park" },
  reauthenticate: { current_password: "not her password" },
  changePassword: { current_password: "not her password", new_password: "a new one, and long" },
  beginSecondFactor: { current_password: "not her password" },
  confirmSecondFactor: { code: "000000" },
  replaceRecoveryCodes: { current_password: "not her password", code: "000000" },
  disableSecondFactor: { current_password: "not her password", code: "000000" },
  updateBusiness: {
    name: "Shop",
    website: "https://shop.example",
    support_email: "help@shop.example",
    business_address: "1 Main Street\nSpringfield",
    tax_number: "DE123456789",
    time_zone: "UTC",
  },
  updateRefundLimit: { refund_limit_usd: 10 },
  replaceLogo: {
    // A single red pixel.
    image: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  },
  updateReceipts: { on_capture: true, on_refund: true },
  updateDocuments: { tax_name: "VAT", tax_percentage: "8.25", locale: "de" },
  sendReceipt: {},
  createApiKey: {
    name: "Server",
    permissions: ["payment.read"],
    expires_at: null,
    ip_allow_list: ["203.0.113.7"],
    limits: { refund_max: 1_000, currency: "USD" },
  },
  rotateApiKey: { overlap_hours: 0 },
  disableApiKey: {},
  enableApiKey: {},
  revokeApiKey: {},
  updateApiKey: {
    name: "Till",
    permissions: ["event.read"],
    expires_at: null,
    ip_allow_list: [],
    updated_at: "2026-01-01T00:00:00.000Z",
  },
  updateCheckoutAppearance: { appearance: { theme: "system", font_family: "Georgia" } },
  previewNewSubscription: {
    plan_id: "plan_01h455vb4pex5vsknk084sn02q",
    customer_id: "cus_1042",
    payment_method_id: "pm_01h455vb4pex5vsknk084sn02q",
  },
  updateSubscriptionSettings: { dunning_steps: [3, 5, 7], after_last_attempt: "CANCEL" },
  createPaymentLink: { name: "Spring", amount: 1_999, currency: "USD", description: "A poster" },
  updatePaymentLink: { name: "Spring", description: "A poster" },
  attemptCheckout: {},
  signUp: { business_name: "Shop", name: "Ada", password: "a new one, and long", time_zone: "UTC" },
  verifyEmail: { token: "none", password: "not her password" },
  forgotPassword: {},
  choosePassword: { token: "none", password: "a new one, and long", name: "Ada" },
  createNote: { subject_id: "pay_01h455vb4pex5vsknk084sn02q", text: "Called" },
  updateNote: { text: "Called" },
  createSavedView: { list: "transactions", name: "Mine", query: "status=CAPTURED", columns: ["amount"], shared: false },
  updateReportMail: { type: "fees", every: "WEEK" },
  stopReportMail: { token: "none" },
  updateSavedView: { name: "Mine", query: "status=CAPTURED", columns: ["amount"], shared: false },
  suspendMerchant: { reason: "Asked to" },
  reinstateMerchant: { reason: "Asked to" },
  unlockMember: { reason: "Asked to" },
  reauthenticateStaff: { code: "000000" },
  connectProcessor: { processor: "stripe", label: "Shop", credentials: { secret_key: "not one of their keys" } },
  changeConnection: { label: "Shop" },
  checkConnection: {},
  compareProcessor: { days: 3 },
  disconnectProcessor: {},
  replaceRules: { rules: [{ currency: null, brand: null, connection_id: "none" }] },
  updateBankAccount: { holder: "Ada Park", bank_name: "First", country: "US", account_number: "000123456789" },
  changeRole: { role: "viewer" },
  inviteMember: { name: "Ben", role: "viewer" },
  createApprovalRequest: {
    action: "REFUND",
    subject: "pay_01h455vb4pex5vsknk084sn02q",
    parameters: { amount: 1_000 },
    reason: "A torn print",
  },
  rejectRequest: { comment: "Not ours" },
  updateRoleRule: { action: "BANK_ACCOUNT", roles: ["owner"] },
  updateRefundRule: { roles: ["operator"], above_usd: 100, day_usd: null, finance_decides: true },
};

/** Values that must be unique per request. */
function fresh(name: string): object {
  const attempt = randomUUID();
  const email = `${attempt}@shop.example`;
  switch (name) {
    case "createApiKey":
    case "rotateApiKey":
      return { attempt };
    case "attemptCheckout":
      return { attempt };
    case "updateAccount":
    case "signUp":
    case "forgotPassword":
    case "inviteMember":
    case "sendReceipt":
      return { email };
    case "createPlan":
    case "updatePlan":
      return { name: `Plan ${attempt.slice(0, 8)}` };
    default:
      return {};
  }
}

/** Secrets for authentication, which are never stored and so may hold anything. */
const PROOFS = new Set(["password", "current_password", "new_password", "code", "token"]);
/** The merchant's own values: stored as they are, except for the number of the request's own card. */
const IDENTIFIERS = ["metadata", "metadata_keys", "customer_id", "return_url", "plan_id", "payment_method_id"];

/** An escaped slash changes the path, which may then not accept this method or a body. */
const OTHER_PATHS = [200, 400, 404, 405, 413];

type Called = Pick<Endpoint | DashboardEndpoint, "name" | "method" | "path"> & {
  query?: z.ZodType;
  body?: z.ZodType;
  takesFile?: true;
};

async function pushOf(operation: Called, doors: Doors, over: Partial<Push> & Pick<Push, "expected">): Promise<Push> {
  const { path, method, name } = operation;
  const token = path.includes("{token}") ? await doors.newSession() : "";
  const id = (EXAMPLES as Record<string, { id?: string }>)[name]?.id ?? randomUUID();
  const filled = path
    .replace("{mode}", "test")
    .replace("{token}", token)
    .replace(/\{\w+\}/g, id);
  return {
    ...over,
    path: over.path ?? filled,
    method,
    headers: { ...(await headersOf(path, doors)), ...over.headers },
  };
}

async function headersOf(path: string, doors: Doors): Promise<Record<string, string>> {
  if (path.startsWith("/v1")) return {};
  if (path.startsWith("/api/dashboard")) return { ...SAME_ORIGIN, Cookie: (await doors.owner()).cookie };
  if (path.startsWith("/api/support")) return { ...SAME_ORIGIN, Cookie: (await doors.staff()).cookie };
  return SAME_ORIGIN;
}

/** Puts the number in the body's card, if the operation has one. */
function bodyOf({ name, body }: Called, sent: Spelled): object {
  const example = (EXAMPLES as Record<string, { body?: object }>)[name as EndpointName]?.body;
  const sample = example ?? SAMPLES[name];
  if (!sample) throw new Error(`there is no sample of a body for ${name}`);
  const hasCard = body && fieldsOf(body).some((field) => isWithin(field, "card"));
  return { ...sample, ...fresh(name), ...(hasCard && { card: cardOf(sent) }) };
}

function fieldPlace(operation: Called, field: Field, hasCard: boolean): Place | null {
  const name = field.path.join(".");
  if (!hasCard && IDENTIFIERS.some((identifier) => isWithin(field, identifier))) return null;
  // Ids that don't exist, so they are not stored.
  if (name.startsWith("evidence.files") || name === "subject") return null;
  const isProof = PROOFS.has(field.path[0] as string);
  const isCardNumber = name === "card.number";
  // Credentials are sealed, and those of a missing connection are not inspected.
  const isSealed = operation.name === "changeConnection" && isWithin(field, "credentials");
  const refuses = !isProof && !isCardNumber && !isSealed && operation.name !== "searchTransactions";
  const expected = refuses ? 400 : isCardNumber ? [200, 400, 402] : [200, 201, 400, 401, 403, 404, 409];
  return {
    name: `${operation.name}, ${name}`,
    takes: (text) =>
      text.length <= field.max && (hasCard || !refuses || (holdsCardNumber(text) && trimmed(text) !== "")),
    ...(refuses && { refuses }),
    push: (sent, doors) =>
      pushOf(operation, doors, { body: withValue(bodyOf(operation, sent), field.path, sent.text), expected }),
  };
}

/** Every member of an operation's body, an unknown member, and a member whose name is the number. */
function bodyPlaces(operation: Called): Place[] {
  // An upload is a form; only its file's name is text.
  if (!operation.body || operation.takesFile) return [];
  const fields = fieldsOf(operation.body);
  const hasCard = fields.some((field) => isWithin(field, "card"));
  const strange = (name: string, change: (text: string) => object): Place => ({
    name: `${operation.name}, ${name}`,
    refuses: true,
    push: (sent, doors) =>
      pushOf(operation, doors, { body: { ...bodyOf(operation, sent), ...change(sent.text) }, expected: 400 }),
  });
  return [
    ...fields.map((field) => fieldPlace(operation, field, hasCard)).filter((place) => place !== null),
    strange("an unknown member", (text) => ({ card_number: text })),
    strange("the name of a member", (text) => ({ [text]: 1 })),
    strange("within an unknown member", (text) => ({ payment_method: { source: [{ [text]: text }] } })),
  ];
}

/** Every query parameter, an unknown one, one whose name is the number, and each id in the path. */
function addressPlaces(operation: Called): Place[] {
  const { name, query, path } = operation;
  const withQuery = (what: string, queryOf: (text: string) => string, takes = takesUrl): Place => ({
    name: `${name}, ${what}`,
    takes,
    push: async (sent, doors) => {
      const push = await pushOf(operation, doors, { expected: [200, 400, 404], ...bodyIfAny(operation, sent) });
      return { ...push, path: `${push.path}?${queryOf(sent.text)}` };
    },
  });
  const inPath = (place: string): Place => ({
    name: `${name}, ${place} in its path`,
    takes: takesUrl,
    push: async (sent, doors) => {
      const at = {
        path: path
          .replace(place, inUrl(sent.text))
          .replace("{mode}", "test")
          .replace(/\{\w+\}/g, randomUUID()),
      };
      return pushOf(operation, doors, { ...at, ...bodyIfAny(operation, sent), expected: OTHER_PATHS });
    },
  });
  return [
    ...(query ? fieldsOf(query) : []).map(({ path: [member = ""], max }) =>
      withQuery(
        `?${member}`,
        (text) => `${member}=${inUrl(text)}`,
        (text) => takesUrl(text) && text.length <= max,
      ),
    ),
    withQuery("an unknown parameter", (text) => `card=${inUrl(text)}`),
    withQuery("the name of a parameter", (text) => `${inUrl(text)}=1`),
    ...(path.match(/\{\w+\}/g) ?? []).map(inPath),
  ];
}

const bodyIfAny = (operation: Called, sent: Spelled) => (operation.body ? { body: bodyOf(operation, sent) } : {});

/** Every input of every operation in the contract; a new field is covered without a change here. */
export const operationPlaces = (): Place[] =>
  ([...ENDPOINTS, ...PEOPLES] as Called[]).flatMap((operation) => [
    ...bodyPlaces(operation),
    ...addressPlaces(operation),
  ]);
