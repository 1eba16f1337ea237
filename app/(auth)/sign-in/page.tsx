import type { Metadata } from "next";
import { AuthColumn } from "@/components/accounts/auth-page";
import { SignInForm } from "@/components/accounts/sign-in-form";
import { safePath } from "@/lib/auth/session-cookie";
import { type SearchParams, signedOutPage } from "@/lib/http/page";

export const metadata: Metadata = { title: "Sign in" };

type SignInPageProps = { searchParams: Promise<SearchParams> };

const one = (value: string | string[] | undefined) => (typeof value === "string" ? value : undefined);

export default async function SignInPage({ searchParams }: SignInPageProps) {
  const { next, email, chosen } = await searchParams;
  const path = safePath(one(next), "/test");
  await signedOutPage(path);
  const notice = chosen === undefined ? undefined : "Your password was changed. Sign in with the new one.";
  return (
    <AuthColumn>
      <SignInForm next={path} email={one(email)} notice={notice} />
    </AuthColumn>
  );
}
