import type { Metadata } from "next";
import { AuthColumn, AuthHeading, AuthLink } from "@/components/accounts/auth-page";
import { VerifyEmailForm } from "@/components/accounts/sign-up-form";
import { findLink } from "@/lib/domain/accounts/mail";
import { currentService } from "@/lib/http/current-service";
import { signedInMerchant } from "@/lib/http/page";

// The address holds a secret token: keep it from linked pages and search engines.
export const metadata: Metadata = { title: "Confirm your address", referrer: "no-referrer", robots: "noindex" };

type VerifyEmailPageProps = { params: Promise<{ token: string }> };

export default async function VerifyEmailPage({ params }: VerifyEmailPageProps) {
  const { token } = await params;
  const [link, found] = await Promise.all([findLink(currentService().service, token), signedInMerchant()]);
  if (link?.purpose !== "verify_email") {
    return (
      <AuthColumn>
        <AuthHeading title="This link no longer works">
          It has been used, has expired, or was replaced by a newer one. Where you’re signed in, every page of your{" "}
          <AuthLink href="/test">account</AuthLink> lets you request another. Otherwise,{" "}
          <AuthLink href="/sign-up">create the account again</AuthLink>.
        </AuthHeading>
      </AuthColumn>
    );
  }
  const isSignedIn = found?.user.userId === link.user_id;
  return (
    <AuthColumn>
      <AuthHeading title="Confirm your e-mail address">
        {isSignedIn
          ? `You will sign in as ${link.email}.`
          : `Enter the password of the account that should use ${link.email}. If you didn’t create one, close this page.`}
      </AuthHeading>
      <VerifyEmailForm token={token} email={link.email} asksPassword={!isSignedIn} />
    </AuthColumn>
  );
}
