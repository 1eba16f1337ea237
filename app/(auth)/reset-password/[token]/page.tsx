import type { Metadata } from "next";
import { AuthColumn, AuthHeading, AuthLink } from "@/components/accounts/auth-page";
import { ChoosePasswordForm } from "@/components/accounts/sign-up-form";
import { findLink } from "@/lib/domain/accounts/mail";
import { currentService } from "@/lib/http/current-service";

// The address holds a secret token: keep it from linked pages and search engines.
export const metadata: Metadata = { title: "Choose a password", referrer: "no-referrer", robots: "noindex" };

type ChoosePasswordPageProps = { params: Promise<{ token: string }> };

export default async function ChoosePasswordPage({ params }: ChoosePasswordPageProps) {
  const { token } = await params;
  const link = await findLink(currentService().service, token);
  if (link?.purpose !== "invite" && link?.purpose !== "reset_password") {
    return (
      <AuthColumn>
        <AuthHeading title="This link no longer works">
          It has been used, has expired, or was replaced by a newer one.{" "}
          <AuthLink href="/forgot-password">Request a new one</AuthLink>, or ask the person who invited you.
        </AuthHeading>
      </AuthColumn>
    );
  }
  const isInvitation = link.purpose === "invite";
  return (
    <AuthColumn>
      <AuthHeading title={isInvitation ? `Join ${link.merchant_name} on Cardlane` : "Choose a new password"}>
        {isInvitation
          ? `You will sign in as ${link.email}.`
          : `For ${link.email}. Every browser that is signed in will be signed out.`}
      </AuthHeading>
      <ChoosePasswordForm token={token} email={link.email} name={isInvitation ? (link.name ?? "") : null} />
    </AuthColumn>
  );
}
