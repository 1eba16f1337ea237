import type { Database } from "@/db/client";
import { insertSession, markReauthenticated } from "@/db/queries/accounts/sessions";
import type { Audience } from "@/lib/contract/accounts/sessions";
import { encodeId } from "@/lib/contract/ids";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import { createWebhookEndpoint } from "@/lib/domain/webhooks/endpoints";
import { newId } from "@/lib/ids";
import { createTestMerchant, testContext, testService } from "../fixtures/factories";
import { createTestUser, sessionCookie, TEST_PASSWORD } from "../fixtures/users";
import { answerTo } from "./card-data-paths";
import type { Doors, Person } from "./card-data-places";
import { inParallel } from "./client";

/** At most 20 refusals per merchant and second are logged, and an unlogged refusal proves nothing. */
const MERCHANTS = 60;
/** Fewer than the failed passwords that lock an account, and than the expensive attempts allowed per minute. */
const MOST_USES = 8;

/**
 * Creates the proof's own merchants, their users and staff, for whichever host is running at the time. Each
 * merchant has all its events sent to `hook`.
 */
export async function openDoors(db: Database, host: () => { baseUrl: string }, hook: string): Promise<Doors> {
  const service = testService(db);
  const merchants = await inParallel(Array.from({ length: MERCHANTS }), 3, async () => {
    const { id, test } = await createTestMerchant(db, "Proof");
    const { secret } = await createApiKey(service, { environmentId: test.id, name: "Proof", permissions: PERMISSIONS });
    await createWebhookEndpoint(testContext(service, test), {
      url: hook,
      description: null,
      event_types: ["*"],
      payload: "full",
      signature: "v1",
    });
    return { id, environment: test.id, apiKey: secret };
  });
  let turn = 0;
  const nextMerchant = () => merchants[turn++ % MERCHANTS] as (typeof merchants)[number];
  const [first] = merchants;
  if (!first) throw new Error("there is no merchant");

  async function signedIn(audience: Audience): Promise<Person> {
    const of =
      audience === "staff"
        ? { merchantId: null, role: "staff" as const }
        : { merchantId: nextMerchant().id, role: "owner" as const };
    const user = await createTestUser(db, of);
    const id = newId();
    const mfa = audience === "staff";
    await insertSession(db.orm, {
      id,
      userId: user.id,
      address: "203.0.113.7",
      userAgent: "a proof",
      mfa,
      livesHours: 1,
    });
    await markReauthenticated(db.orm, id, { mfa });
    const { name, value } = await sessionCookie({ ...service, baseUrl: host().baseUrl }, audience, id);
    return {
      cookie: `${name}=${value}`,
      email: user.email,
      password: TEST_PASSWORD,
    };
  }

  const doors: Doors = {
    get baseUrl() {
      return host().baseUrl;
    },
    get apiKey() {
      return nextMerchant().apiKey;
    },
    async newSession(overrides = {}) {
      const body = { amount: 1_299, currency: "USD", ...overrides };
      const { status, text } = await answerTo(doors, { path: "/v1/client-sessions", body, expected: 201 });
      if (status !== 201) throw new Error(`no session: ${status} ${text}`);
      return (JSON.parse(text) as { client_session_token: string }).client_session_token;
    },
    owner: usedUp(() => signedIn("merchant")),
    staff: usedUp(() => signedIn("staff")),
    async visitor(audience = "auth") {
      const response = await fetch(`${host().baseUrl}/api/${audience}/csrf`);
      const { csrfToken } = (await response.json()) as { csrfToken: string };
      const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
      return { cookie: cookies.join("; "), csrfToken };
    },
    merchant: { id: encodeId("merchant", first.id), environment: encodeId("environment", first.environment) },
  };
  return doors;
}

/** Returns the same value up to `MOST_USES` times, then makes a new one. */
function usedUp<T>(make: () => Promise<T>): () => Promise<T> {
  let uses = 0;
  let current: Promise<T> | null = null;
  return () => {
    if (current === null || uses++ % MOST_USES === 0) current = make();
    return current;
  };
}
