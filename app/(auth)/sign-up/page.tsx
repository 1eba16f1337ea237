import type { Metadata } from "next";
import { AuthColumn, AuthHeading, AuthLink } from "@/components/accounts/auth-page";
import { SignUpForm } from "@/components/accounts/sign-up-form";
import { signedOutPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Create an account" };

export default async function SignUpPage() {
  await signedOutPage("/test");
  return (
    <AuthColumn>
      <AuthHeading title="Create an account">
        Have one already? <AuthLink href="/sign-in">Sign in</AuthLink>
      </AuthHeading>
      <SignUpForm />
    </AuthColumn>
  );
}
