import { updateAccount as updateAccountRow } from "@/db/queries/user-changes";
import { voidTokens } from "@/db/queries/user-tokens";
import { findUser, lockUser } from "@/db/queries/users";
import type { UserRow } from "@/db/schema/users";
import { AppError } from "@/lib/contract/errors";
import type { Context } from "../context";
import { emailTaken } from "./email-taken";
import { onlyChanged } from "./only-changed";
import { provePassword } from "./prove-person";
import { accountActor, recordAccountAct } from "./record-account-act";
import { refuseField } from "./refuse-field";
import { writeMail } from "./write-mail";

export type UpdateAccountInput = { name: string; email: string; currentPassword: string | null };

/** Changes the person's name and sign-in address. Another address needs the password, and the old one is told. */
export async function updateAccount(ctx: Context, input: UpdateAccountInput): Promise<UserRow> {
  const before = await findUser(ctx.service.db.orm, ctx.actor.id as string);
  if (before === null) throw new Error("a person who is signed in is there");
  const isNewEmail = before.email !== input.email;
  if (isNewEmail) {
    if (!input.currentPassword) throw refuseField("current_password", "Enter your password to change the address.");
    await provePassword(ctx, input.currentPassword);
  }
  return ctx.service.db.orm.transaction(async (tx) => {
    const now = await lockUser(tx, before.id);
    // What was compared and proved above must still be so: another window, or a reset, may have come between.
    if (now?.email !== before.email || (isNewEmail && now.password_hash !== before.password_hash)) throw outOfDate();
    const user = await updateAccountRow(tx, before.id, { name: input.name, email: input.email });
    if (user === null) throw emailTaken(input.email);
    if (isNewEmail) {
      // Links on their way to the old address are worth nothing any more.
      await voidTokens(tx, user.id);
      await writeMail(tx, {
        recipient: before.email,
        subject: "Your Cardlane sign-in has another e-mail address",
        paragraphs: [
          `From now on ${user.email} signs in instead of ${before.email}.`,
          "If it was not you, write to an owner of your account at once.",
        ],
      });
    }
    const changes = onlyChanged({ name: [before.name, user.name], email: [before.email, user.email] });
    await recordAccountAct(tx, accountActor(ctx), "settings.account_updated", user.id, { changes });
    return user;
  });
}

const outOfDate = () =>
  new AppError("invalid_state", "Your sign-in was changed a moment ago, elsewhere. Reload the page and try again.");
