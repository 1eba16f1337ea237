import { isTimeZoneKnown } from "@/db/queries/business-profile";
import { insertMerchant } from "@/db/queries/merchants";
import { takeAttempt } from "@/lib/auth/attempt-limits";
import { hashPassword } from "@/lib/auth/password";
import { newId } from "@/lib/ids";
import type { Service } from "../context";
import { emailTaken } from "./email-taken";
import { recordAccountAct } from "./record-account-act";
import { tooManyAttempts } from "./too-many-attempts";

export type SignUpInput = {
  businessName: string;
  name: string;
  email: string;
  password: string;
  /** IANA name, as the browser has it; one that the database does not know becomes UTC. */
  timeZone: string;
  /** Where the request came from. */
  address: string;
  requestId: string | null;
};

/**
 * Opens an account: a merchant with both environments, and its owner. No API keys: the owner makes the first one, and sees
 * its secret. Ids are UUIDs. That an address is taken is said here, unlike at sign-in: there is no other way to go on.
 */
export async function signUp(service: Service, input: SignUpInput): Promise<{ merchantId: string; userId: string }> {
  const waitSeconds = takeAttempt("sign-up", input.address);
  if (waitSeconds > 0) throw tooManyAttempts(waitSeconds);
  const password_hash = await hashPassword(input.password);
  const id = newId();
  const owner = { id: newId(), email: input.email, name: input.name, password_hash };
  await service.db.orm.transaction(async (tx) => {
    const time_zone = (await isTimeZoneKnown(tx, input.timeZone)) ? input.timeZone : "UTC";
    const environments = { test: newId(), live: newId() };
    if (!(await insertMerchant(tx, { id, name: input.businessName, time_zone, environments, owner }))) {
      throw emailTaken(input.email);
    }
    const by = { merchantId: id, actor: { type: "user", id: owner.id }, requestId: input.requestId } as const;
    await recordAccountAct(tx, by, "settings.account_opened", id, { name: input.businessName, email: input.email });
  });
  return { merchantId: id, userId: owner.id };
}
