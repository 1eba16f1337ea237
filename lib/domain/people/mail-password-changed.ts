import type { Orm } from "@/db/client";
import type { UserRow } from "@/db/schema/users";
import { notify } from "./write-mail";

export function mailPasswordChanged(tx: Orm, service: { baseUrl: string }, user: UserRow): Promise<void> {
  return notify(tx, user, {
    subject: "Your Cardlane password was changed",
    paragraphs: [
      `The password of ${user.email} was changed. Other browsers that were signed in are not any more.`,
      "If it was not you, choose a new password at once:",
      `${service.baseUrl}/forgot-password`,
    ],
  });
}
