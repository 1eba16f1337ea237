import type { Metadata } from "next";
import { AuthColumn } from "@/components/auth/auth-column";
import { AuthHeading } from "@/components/auth/auth-heading";
import { AuthLink } from "@/components/auth/auth-link";
import { SignUpForm } from "@/components/auth/sign-up-form";
import { signedOutPage } from "@/lib/http/signed-out-page";

export const metadata: Metadata = { title: "Open an account" };

export default async function SignUpPage() {
  await signedOutPage("/test");
  return (
    <AuthColumn>
      <AuthHeading title="Open an account">
        Have one already? <AuthLink href="/sign-in">Sign in</AuthLink>
      </AuthHeading>
      <SignUpForm />
    </AuthColumn>
  );
}
