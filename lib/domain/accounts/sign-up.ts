import type { Orm } from "@/db/client";
import {
  type AbandonedAfter,
  emptyAbandonedAccount,
  findAbandonedAccounts,
  findEnvironmentsToEmpty,
  removeAbandonedRows,
} from "@/db/queries/accounts/abandoned";
import { countMails } from "@/db/queries/accounts/mail-outbox";
import { insertMerchant, isTimeZoneKnown } from "@/db/queries/accounts/merchants";
import {
  countRecentTokens,
  findTokenHolder,
  lockTokenHolder,
  takeToken,
  voidTokens,
} from "@/db/queries/accounts/tokens";
import {
  findUser,
  findVerifiedOwner,
  lockAddress,
  lockUser,
  ownEmail,
  releaseAttempt,
  reserveReauthentication,
} from "@/db/queries/accounts/users";
import type { UserRow } from "@/db/schema/accounts";
import { hashPassword, verifyPassword } from "@/lib/auth/password";
import { takeAccount, takeMail, waitForAccount } from "@/lib/auth/sign-in-limits";
import { AppError } from "@/lib/contract/errors";
import { newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import type { Context, Service } from "../context";
import { recordAccountAct } from "./activity";
import { createTicket, LINK_HOURS, notify, sendLink, storeUnsentToken, writeMail } from "./mail";
import {
  failedTry,
  LOCK_RULE,
  limitAttempts,
  locked,
  refuseEasyPassword,
  refuseField,
  tooManyAccounts,
} from "./reauthentication";

type SignUpInput = {
  businessName: string;
  name: string;
  email: string;
  password: string;
  /** IANA name as reported by the browser; one that the database does not know becomes UTC. */
  timeZone: string;
  /** The caller's IP address. */
  address: string;
  requestId: string | null;
};

/** Ids are UUIDs. `ticket` signs the browser in once, within minutes. */
type OpenedAccount = { merchantId: string; userId: string; ticket: string };

/**
 * Opens an account: a merchant with both environments and its owner, without API keys. Until the owner
 * verifies the address with the mailed link, the account is for trying things out and the address is not
 * theirs. The result is the same if the address already has an owner: only its mailbox is notified.
 */
export async function signUp(service: Service, input: SignUpInput): Promise<OpenedAccount> {
  limitAttempts("sign-up", input.address);
  // Checking a password is slow, so network limits come first.
  const siteWaitSeconds = waitForAccount(input.address);
  if (siteWaitSeconds > 0) throw tooManyAccounts(siteWaitSeconds);
  await refuseEasyPassword("password", input.password, [input.email, input.name, input.businessName]);
  const waitSeconds = takeAccount(input.address);
  if (waitSeconds > 0) throw tooManyAccounts(waitSeconds);
  const password_hash = await hashPassword(input.password);
  // The account is opened even without a mail: no response may reveal how often an address was used.
  const isMailed = takeMail("sign-up", input.address, input.email);
  const id = newId();
  const owner = { id: newId(), email: input.email, name: input.name, password_hash, verified: false };
  const ticket = await service.db.orm.transaction(async (tx) => {
    const time_zone = (await isTimeZoneKnown(tx, input.timeZone)) ? input.timeZone : "UTC";
    const environments = { test: newId(), live: newId() };
    if (!(await insertMerchant(tx, { id, name: input.businessName, time_zone, environments, owner }))) {
      throw new Error("an owner without an address of their own collides with no other user");
    }
    const by = { merchantId: id, actor: { type: "user", id: owner.id }, requestId: input.requestId } as const;
    await recordAccountAct(tx, by, "settings.account_opened", id, { name: input.businessName, email: input.email });
    await mailVerification(tx, service, owner, isMailed ? {} : { limit: 0 });
    return createTicket(tx, owner.id);
  });
  return { merchantId: id, userId: owner.id, ticket };
}

/**
 * Max verification links an hour: to one mailbox by sign-ups, and by requests of one user. The mailbox limit
 * does not apply to a signed-in user's requests, so that sign-ups by others cannot keep the link from
 * arriving.
 */
const MAX_LINKS_PER_MAILBOX = 10;
const MAX_LINKS_PER_USER = 3;

/**
 * Mails a verification link to an address or, if it already has an owner, a notice; the requester cannot tell
 * which. Sends nothing after `limit` mails to the mailbox within an hour. `newEmail`: an address that the
 * user wants to change to.
 */
export async function mailVerification(
  tx: Orm,
  service: { baseUrl: string },
  user: { id: string; email: string },
  { newEmail = null, limit = MAX_LINKS_PER_MAILBOX }: { newEmail?: string | null; limit?: number } = {},
): Promise<void> {
  const email = newEmail ?? user.email;
  await lockAddress(tx, email);
  const isFull = (await countMails(tx, email, "verify_email", 1)) >= limit;
  const owner = await findVerifiedOwner(tx, email);
  const isOwned = owner !== null && owner.id !== user.id;
  if (isFull || isOwned) {
    await voidTokens(tx, user.id, "verify_email");
    await storeUnsentToken(tx, user.id, newEmail);
    if (isOwned && !isFull) await mailToOwner(tx, service, owner);
    return;
  }
  await sendLink(tx, service, {
    userId: user.id,
    email,
    purpose: "verify_email",
    ...(newEmail !== null && { newEmail }),
    subject: "Confirm your e-mail address for Cardlane",
    before: [`Confirm that ${email} is your e-mail address:`],
    after: [
      `The link works once, for ${LINK_HOURS.verify_email / 24} days. If you didn't create a Cardlane account or change your address, ignore this e-mail: nobody can use your address without this link.`,
    ],
  });
}

function mailToOwner(tx: Orm, service: { baseUrl: string }, { email, merchant_id }: UserRow): Promise<void> {
  return writeMail(tx, {
    kind: "verify_email",
    recipient: email,
    subject: "You already have a Cardlane account",
    paragraphs: [
      `Someone tried to create another Cardlane account with ${email}. That address already belongs to your account, which hasn't changed.`,
      ...(merchant_id === null
        ? []
        : [
            "If this was you, sign in. If you forgot your password, choose a new one:",
            `${service.baseUrl}/forgot-password`,
          ]),
    ],
  });
}

/**
 * Resends the verification link of the user's own address; the earlier link stops working. `address`: the
 * caller's IP address.
 */
export async function resendVerification(ctx: Context, address: string): Promise<{ email: string }> {
  const { service } = ctx;
  const userId = ctx.actor.id as string;
  return service.db.orm.transaction(async (tx) => {
    const email = (await findUser(tx, userId))?.email;
    if (email === undefined) throw new Error("a signed-in user is there");
    await lockAddress(tx, email);
    const user = await lockUser(tx, userId);
    if (user?.email_verified_at !== null) {
      throw new AppError("invalid_state", "Your address is already confirmed. Reload the page.");
    }
    const isLimitReached = (await countRecentTokens(tx, userId, "verify_email")) >= MAX_LINKS_PER_USER;
    if (isLimitReached || !takeMail("resend", address, email)) {
      throw new AppError("rate_limited", "The link was sent too often. Check your inbox, or try again in an hour.");
    }
    await mailVerification(tx, service, user, { limit: Number.POSITIVE_INFINITY });
    return { email };
  });
}

type VerifyEmailInput = {
  /** The token in the mailed link. */
  token: string;
  /** The user signed in in the browser that opened the link, if any; UUID. */
  signedInAs: string | null;
  /**
   * The account's password, required when not signed in: a link alone could verify the address for a
   * stranger's account.
   */
  password: string | null;
  address: string;
  requestId: string | null;
};

/** Verifies a user's address by a mailed link. From then on only that user signs in with it. */
export async function verifyEmail(service: Service, input: VerifyEmailInput): Promise<{ email: string }> {
  limitAttempts("reset-password", input.address);
  const digest = sha256(input.token);
  const holder = await findTokenHolder(service.db.orm, digest);
  if (holder?.purpose !== "verify_email") throw linkExpired();
  if (holder.user_id !== input.signedInAs) await requireAccountPassword(service, holder.user_id, input.password);
  return service.db.orm.transaction(async (tx) => {
    await lockAddress(tx, holder.email);
    await lockTokenHolder(tx, digest);
    const taken = await takeToken(tx, digest, ["verify_email"]);
    const before = taken && (await findUser(tx, taken.user_id));
    if (!taken || !before) throw linkExpired();
    const user = await ownEmail(tx, before.id, holder.email);
    if (user === null) throw emailOwned(holder.email);
    await voidTokens(tx, user.id, user.email === before.email ? "verify_email" : null);
    await recordVerification(tx, { before, user, requestId: input.requestId });
    return { email: user.email };
  });
}

async function requireAccountPassword(service: Service, userId: string, password: string | null): Promise<void> {
  if (password === null || password === "") throw refuseField("password", "Enter the password of this account.");
  const user = await reserveReauthentication(service.db.orm, userId, LOCK_RULE);
  if (user === null) throw locked();
  if (!(await verifyPassword(user.password_hash, password))) {
    throw await failedTry(service, user, refuseField("password", "That isn't this account's password."));
  }
  await releaseAttempt(service.db.orm, user.id, LOCK_RULE, "reauthentication");
}

async function recordVerification(
  tx: Orm,
  { before, user, requestId }: { before: UserRow; user: UserRow; requestId: string | null },
): Promise<void> {
  if (user.merchant_id === null) throw new Error("staff are created with a verified address");
  const by = { merchantId: user.merchant_id, actor: { type: "user", id: user.id }, requestId } as const;
  if (before.email === user.email) {
    return recordAccountAct(tx, by, "settings.email_verified", user.id, { email: user.email });
  }
  await mailAddressChanged(tx, before, user);
  const changes = { email: [before.email, user.email] };
  await recordAccountAct(tx, by, "settings.account_updated", user.id, { changes });
}

function mailAddressChanged(tx: Orm, before: UserRow, user: UserRow): Promise<void> {
  return notify(tx, before, {
    subject: "Your Cardlane sign-in e-mail was changed",
    paragraphs: [
      `You now sign in with ${user.email} instead of ${before.email}.`,
      "If this wasn't you, contact an owner of your account right away.",
    ],
  });
}

export const linkExpired = () =>
  new AppError("resource_not_found", "This link has been used or has expired. Request a new one.");

/** Reveals that the address has an account, so it is shown only to callers with a link from its mailbox. */
export const emailOwned = (email: string) =>
  new AppError(
    "invalid_state",
    `${email} already signs in to another Cardlane account. Sign in there, or change that account's address first. This link still works afterwards.`,
  );

/** Days after the last visit, for accounts without a verified address or data of their own. */
const ABANDONED_DAYS = 30;
const ACCOUNT_BATCH_SIZE = 500;
const CLOSED_MERCHANT = { name: "Closed account", reason: "No one confirmed an e-mail address." };

/**
 * Rows of one environment removed in one commit, which takes some tens of milliseconds and blocks nothing
 * else.
 */
const ROW_BATCH_SIZE = 2_000;
const ENVIRONMENT_BATCH_SIZE = 10;

/**
 * Closes one batch of accounts without a verified address: empty ones after 30 days without a visit, and ones
 * with nothing but test data `daysWithData` days after they were opened (0: never). Removes their users, with
 * names, addresses and passwords. Returns the number closed.
 */
export async function closeAbandonedAccounts({ db }: Pick<Service, "db">, daysWithData: number): Promise<number> {
  const after: AbandonedAfter = { days: ABANDONED_DAYS, daysWithData: daysWithData === 0 ? null : daysWithData };
  const found = await findAbandonedAccounts(db.orm, after, ACCOUNT_BATCH_SIZE);
  let closed = 0;
  let failure: unknown = null;
  for (const merchantId of found) {
    try {
      const isClosed = await db.orm.transaction(async (tx) => {
        if (!(await emptyAbandonedAccount(tx, merchantId, after, CLOSED_MERCHANT))) return false;
        const by = { merchantId, actor: { type: "system", id: null }, requestId: null } as const;
        await recordAccountAct(tx, by, "settings.account_closed", merchantId);
        return true;
      });
      if (isClosed) closed++;
    } catch (error) {
      // One account that fails to close must not keep the others open; the error is rethrown at the end.
      failure ??= error;
    }
  }
  if (failure !== null) throw failure;
  return closed;
}

/**
 * Removes one batch of test data from each closed account; returns the number of rows. The audit log stays.
 */
export async function removeAbandonedData({ db }: Pick<Service, "db">): Promise<number> {
  let removed = 0;
  for (const id of await findEnvironmentsToEmpty(db.sql, ENVIRONMENT_BATCH_SIZE)) {
    removed += await removeAbandonedRows(db.sql, id, ROW_BATCH_SIZE);
  }
  return removed;
}
