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
  reserveProof,
} from "@/db/queries/accounts/users";
import type { UserRow } from "@/db/schema/accounts";
import { takeAccount, takeAttempt, takeMail, waitForAccount } from "@/lib/auth/attempt-limits";
import { hashPassword, verifyPassword } from "@/lib/auth/password";
import { AppError } from "@/lib/contract/errors";
import { newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import type { Context, Service } from "../context";
import { recordAccountAct } from "./activity";
import { emptyLink, LINK_HOURS, newTicket, notify, sendLink, writeMail } from "./mail";
import {
  failedTry,
  LOCK_RULE,
  locked,
  refuseEasyPassword,
  refuseField,
  tooManyAccounts,
  tooManyAttempts,
} from "./proof";

type SignUpInput = {
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
type OpenedAccount = { merchantId: string; userId: string; ticket: string };

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

/**
 * Links to prove an address, within an hour: how many one mailbox gets by sign-ups, and how many one person may ask for. What
 * who is signed in asks for again is limited by network alone, so that no number of strangers elsewhere keeps it from coming.
 */
const MAX_PER_ADDRESS = 10;
const MAX_PER_PERSON = 3;

/**
 * Mails the proof of an address to it, or, when it is somebody's already, a word about that; so whoever asks learns nothing.
 * Writes nothing once the mailbox has had its share: `most` mails within an hour. `proves`: an address that the person wants
 * instead of theirs.
 */
export async function mailVerification(
  tx: Orm,
  service: { baseUrl: string },
  user: { id: string; email: string },
  { proves = null, most = MAX_PER_ADDRESS }: { proves?: string | null; most?: number } = {},
): Promise<void> {
  const email = proves ?? user.email;
  await lockAddress(tx, email);
  const isFull = (await countMails(tx, email, "verify_email", 1)) >= most;
  const owner = await findVerifiedOwner(tx, email);
  const isOwned = owner !== null && owner.id !== user.id;
  if (isFull || isOwned) {
    await voidTokens(tx, user.id, "verify_email");
    await emptyLink(tx, user.id, proves);
    if (isOwned && !isFull) await mailToOwner(tx, service, owner);
    return;
  }
  await sendLink(tx, service, {
    ...{ userId: user.id, email, purpose: "verify_email", ...(proves !== null && { proves }) },
    subject: "Confirm your e-mail address for Cardlane",
    before: [`Confirm that ${email} is your address:`],
    after: [
      `The link works once, for ${LINK_HOURS.verify_email / 24} days. If you did not open an account with Cardlane or change your address there, do nothing: without this link nobody can use your address.`,
    ],
  });
}

function mailToOwner(tx: Orm, service: { baseUrl: string }, { email, merchant_id }: UserRow): Promise<void> {
  return writeMail(tx, {
    kind: "verify_email",
    recipient: email,
    subject: "You already have a Cardlane account",
    paragraphs: [
      `Somebody wanted to use ${email} for another account with Cardlane. It belongs to yours, which was not touched.`,
      ...(merchant_id === null
        ? []
        : [
            "If it was you, sign in to yours. If you forgot the password, choose a new one:",
            `${service.baseUrl}/forgot-password`,
          ]),
    ],
  });
}

/** Sends the proof of the person's own address again; the earlier link stops working. `address`: where they ask from. */
export async function resendVerification(ctx: Context, address: string): Promise<{ email: string }> {
  const { service } = ctx;
  const userId = ctx.actor.id as string;
  return service.db.orm.transaction(async (tx) => {
    const email = (await findUser(tx, userId))?.email;
    if (email === undefined) throw new Error("a person who is signed in is there");
    await lockAddress(tx, email);
    const user = await lockUser(tx, userId);
    if (user?.email_verified_at !== null) {
      throw new AppError("invalid_state", "Your address is confirmed already. Reload the page.");
    }
    const isEnough = (await countRecentTokens(tx, userId, "verify_email")) >= MAX_PER_PERSON;
    if (isEnough || !takeMail("resend", address, email)) {
      throw new AppError(
        "rate_limited",
        "We sent the link often enough. Look into your mail, or try again in an hour.",
      );
    }
    await mailVerification(tx, service, user, { most: Number.POSITIVE_INFINITY });
    return { email };
  });
}

type VerifyEmailInput = {
  /** As it stood in the mailed link. */
  token: string;
  /** Who is signed in where the link was opened, if anybody; UUID. */
  signedInAs: string | null;
  /** Of the account, where nobody is signed in: a link alone would let a stranger's account have the address. */
  password: string | null;
  address: string;
  requestId: string | null;
};

/** Proves with a mailed link that an address is the person's. From then on they sign in with it, and nobody else does. */
export async function verifyEmail(service: Service, input: VerifyEmailInput): Promise<{ email: string }> {
  const waitSeconds = takeAttempt("reset-password", input.address);
  if (waitSeconds > 0) throw tooManyAttempts(waitSeconds);
  const digest = sha256(input.token);
  const holder = await findTokenHolder(service.db.orm, digest);
  if (holder?.purpose !== "verify_email") throw linkIsOver();
  if (holder.user_id !== input.signedInAs) await requirePassword(service, holder.user_id, input.password);
  return service.db.orm.transaction(async (tx) => {
    await lockAddress(tx, holder.email);
    await lockTokenHolder(tx, digest);
    const taken = await takeToken(tx, digest, ["verify_email"]);
    const before = taken && (await findUser(tx, taken.user_id));
    if (!taken || !before) throw linkIsOver();
    const user = await ownEmail(tx, before.id, holder.email);
    if (user === null) throw ownedBySomebody(holder.email);
    await voidTokens(tx, user.id, user.email === before.email ? "verify_email" : null);
    await record(tx, { before, user, requestId: input.requestId });
    return { email: user.email };
  });
}

async function requirePassword(service: Service, userId: string, password: string | null): Promise<void> {
  if (password === null || password === "") throw refuseField("password", "Enter the password of this account.");
  const user = await reserveProof(service.db.orm, userId, LOCK_RULE);
  if (user === null) throw locked();
  if (!(await verifyPassword(user.password_hash, password))) {
    throw await failedTry(service, user, refuseField("password", "That is not the password of this account."));
  }
  await releaseAttempt(service.db.orm, user.id, LOCK_RULE, "proof");
}

async function record(
  tx: Orm,
  { before, user, requestId }: { before: UserRow; user: UserRow; requestId: string | null },
): Promise<void> {
  if (user.merchant_id === null) throw new Error("staff are made with a proved address");
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
    subject: "Your Cardlane sign-in has another e-mail address",
    paragraphs: [
      `From now on ${user.email} signs in instead of ${before.email}.`,
      "If it was not you, write to an owner of your account at once.",
    ],
  });
}

const linkIsOver = () =>
  new AppError("resource_not_found", "This link was used already or is too old. Have a new one sent.");

/** Said to those alone who read the mailbox. */
export const ownedBySomebody = (email: string) =>
  new AppError(
    "invalid_state",
    `${email} already signs in to another Cardlane account. Sign in there, or give that account another address first; this link still works then.`,
  );

/** Without a proved address, anything owned or anybody there. */
const ABANDONED_DAYS = 30;
const AT_ONCE = 500;
const CALLED = { name: "Closed account", reason: "Nobody proved an e-mail address." };

/** Of one environment in one commit: some tens of milliseconds, in which nothing else waits for it. */
const ROWS_AT_ONCE = 2_000;
const ENVIRONMENTS_AT_ONCE = 10;

/**
 * Closes accounts for which nobody ever proved an address: what somebody opened and left after 30 days, and what has test data
 * and nothing else `daysWithData` after it was opened (0: never). Their people, with names, addresses and passwords, are
 * removed. Some at a time; answers how many.
 */
export async function closeAbandonedAccounts({ db }: Pick<Service, "db">, daysWithData: number): Promise<number> {
  const after: AbandonedAfter = { days: ABANDONED_DAYS, daysWithData: daysWithData === 0 ? null : daysWithData };
  const found = await findAbandonedAccounts(db.orm, after, AT_ONCE);
  let closed = 0;
  let failure: unknown = null;
  for (const merchantId of found) {
    try {
      const isClosed = await db.orm.transaction(async (tx) => {
        if (!(await emptyAbandonedAccount(tx, merchantId, after, CALLED))) return false;
        const by = { merchantId, actor: { type: "system", id: null }, requestId: null } as const;
        await recordAccountAct(tx, by, "settings.account_closed", merchantId);
        return true;
      });
      if (isClosed) closed++;
    } catch (error) {
      // One that the database refuses to close does not keep the others open; the job tells of it at the end.
      failure ??= error;
    }
  }
  if (failure !== null) throw failure;
  return closed;
}

/** Removes test data of closed accounts, a piece of each environment at a time; answers how many rows. The audit log stays. */
export async function removeAbandonedData({ db }: Pick<Service, "db">): Promise<number> {
  let removed = 0;
  for (const id of await findEnvironmentsToEmpty(db.sql, ENVIRONMENTS_AT_ONCE)) {
    removed += await removeAbandonedRows(db.sql, id, ROWS_AT_ONCE);
  }
  return removed;
}
