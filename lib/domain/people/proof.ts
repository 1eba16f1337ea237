import { findRefundable, type RefundTarget, renewAllowances, spendAllowance } from "@/db/queries/refund-allowances";
import { markProved } from "@/db/queries/session-list";
import { PROOF_MINUTES, type ProofKind, refundLimit } from "@/lib/contract/accounts/proof";
import { AppError } from "@/lib/contract/errors";
import type { Service } from "../context";
import { recordSignIn } from "./open-session";
import { type Asker, proveCode, provePassword } from "./prove-person";
import { refuseField } from "./refuse-field";
import type { Person } from "./session";

type Proved = Pick<Person, "mfaEnabled" | "provedRecently">;

const proofKind = ({ mfaEnabled }: Proved): ProofKind => (mfaEnabled ? "code" : "password");

/** Throws unless the person proved within the last minutes who they are: a browser left open is no key to everything. */
export function requireProof(person: Proved): void {
  if (person.provedRecently) return;
  const proof_required = proofKind(person);
  const what = proof_required === "code" ? "a code of your second factor" : "your password";
  // Only our own pages get here, so the member that they understand is not part of the public contract.
  throw new AppError("permission_denied", `Confirm with ${what} that it is you, then do this again.`, {
    extra: { proof_required },
  });
}

/** Throws unless the person's address is proved: until then an account is for trying things out. */
export function requireVerifiedEmail(person: Pick<Person, "email" | "emailVerified">): void {
  if (person.emailVerified) return;
  throw new AppError(
    "permission_denied",
    `Confirm your e-mail address first: open the link that we sent to ${person.email}, or have it sent again.`,
    { extra: { verification_required: true } },
  );
}

/**
 * Proves in this session, for the next ten minutes, who the person is: by the second factor, or by the password of those who
 * have none. Wrong ones count like those of a sign-in.
 */
export async function proveAgain(
  by: Asker,
  input: {
    person: Proved & Pick<Person, "sessionId" | "userId" | "merchantId">;
    code?: string | undefined;
    password?: string | undefined;
  },
): Promise<{ minutes: number }> {
  const { person, code, password } = input;
  if (person.mfaEnabled) {
    if (code === undefined) throw refuseField("code", "Enter a code of your second factor.");
    await proveCode(by, code);
  } else {
    if (password === undefined) throw refuseField("current_password", "Enter your password.");
    await provePassword(by, password);
  }
  await by.service.db.orm.transaction(async (tx) => {
    await markProved(tx, person.sessionId, { mfa: person.mfaEnabled });
    await renewAllowances(tx, person.userId);
    const user = { id: person.userId, merchant_id: person.merchantId };
    await recordSignIn(tx, user, "identity_proved", { second_factor: person.mfaEnabled });
  });
  return { minutes: PROOF_MINUTES };
}

/**
 * Throws when a refund from the dashboard takes a proof: when it, with the person's others since the last proof or within a
 * day, is over the merchant's limit, in its currency. `amount` null is all that is left. A payment that is not there is not judged.
 */
export async function requireRefundProof(
  service: Pick<Service, "db">,
  person: Proved & Pick<Person, "userId" | "refundLimitUsd">,
  refund: { environmentId: string; target: RefundTarget; amount: number | null },
): Promise<void> {
  if (person.provedRecently) return;
  const within = service.db.within(refund.environmentId).orm;
  const found = await findRefundable(within, refund.environmentId, refund.target);
  if (found === null) return;
  const { currency, most } = found;
  const amount = Math.min(refund.amount ?? most, most);
  if (amount <= 0) return;
  const spending = { userId: person.userId, currency, amount, limit: refundLimit(currency, person.refundLimitUsd) };
  if (!(await spendAllowance(service.db.orm, spending))) requireProof(person);
}
