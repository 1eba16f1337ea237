import type { Metadata } from "next";
import { AuthColumn, AuthHeading, AuthLink } from "@/components/accounts/auth-page";
import { ForgotPasswordForm } from "@/components/accounts/sign-in-form";
import { mailRouteOfPage } from "@/lib/http/outbox";

export const metadata: Metadata = { title: "Forgot your password?" };

export default async function ForgotPasswordPage() {
  return (
    <AuthColumn>
      <AuthHeading title="Forgot your password?">
        We’ll e-mail you a link to choose a new one. <AuthLink href="/sign-in">Back to sign-in</AuthLink>
      </AuthHeading>
      <ForgotPasswordForm mail={await mailRouteOfPage()} />
    </AuthColumn>
  );
}
