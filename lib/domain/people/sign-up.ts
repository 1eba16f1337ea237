import { isTimeZoneKnown } from "@/db/queries/business-profile";
import { insertMerchant } from "@/db/queries/merchants";
import { takeAccount, takeAttempt, takeMail, waitForAccount } from "@/lib/auth/attempt-limits";
import { hashPassword } from "@/lib/auth/password";
import { newId } from "@/lib/ids";
import type { Service } from "../context";
import { recordAccountAct } from "./record-account-act";
import { refuseEasyPassword } from "./refuse-field";
import { newTicket } from "./send-link";
import { tooManyAccounts, tooManyAttempts } from "./too-many-attempts";
import { mailVerification } from "./verify-email";

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

/** Ids are UUIDs. `ticket` signs the browser in once, within minutes. */
export type OpenedAccount = { merchantId: string; userId: string; ticket: string };

/**
 * Opens an account: a merchant with both environments, and its owner. No API keys: the owner makes the first one, and sees
 * its secret. The address is the owner's only once they prove it with the mailed link; until then the account is for trying
 * things out. Whether the address is somebody's already makes no difference here: only who reads its mail is told.
 */
export async function signUp(service: Service, input: SignUpInput): Promise<OpenedAccount> {
  const waitSeconds = takeAttempt("sign-up", input.address);
  if (waitSeconds > 0) throw tooManyAttempts(waitSeconds);
  // Judging a password takes a while: first come those who get no account whatever theirs is.
  const waitForAny = waitForAccount(input.address);
  if (waitForAny > 0) throw tooManyAccounts(waitForAny);
  await refuseEasyPassword("password", input.password, [input.email, input.name, input.businessName]);
  const waitForNextDay = takeAccount(input.address);
  if (waitForNextDay > 0) throw tooManyAccounts(waitForNextDay);
  const password_hash = await hashPassword(input.password);
  // The account is opened all the same: no answer tells how often an address was used.
  const isMailed = takeMail("sign-up", input.address, input.email);
  const id = newId();
  const owner = { id: newId(), email: input.email, name: input.name, password_hash, verified: false };
  const ticket = await service.db.orm.transaction(async (tx) => {
    const time_zone = (await isTimeZoneKnown(tx, input.timeZone)) ? input.timeZone : "UTC";
    const environments = { test: newId(), live: newId() };
    if (!(await insertMerchant(tx, { id, name: input.businessName, time_zone, environments, owner }))) {
      throw new Error("an owner without an address of their own collides with nobody");
    }
    const by = { merchantId: id, actor: { type: "user", id: owner.id }, requestId: input.requestId } as const;
    await recordAccountAct(tx, by, "settings.account_opened", id, { name: input.businessName, email: input.email });
    await mailVerification(tx, service, owner, isMailed ? {} : { most: 0 });
    return newTicket(tx, owner.id);
  });
  return { merchantId: id, userId: owner.id, ticket };
}
