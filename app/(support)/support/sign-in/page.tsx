import type { Metadata } from "next";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { StaffSignInForm } from "@/components/accounts/sign-in-form";
import { safePath } from "@/lib/auth/session-cookie";
import type { SearchParams } from "@/lib/http/page";
import { signedIn } from "@/lib/http/session-caller";

export const metadata: Metadata = { title: "Support sign-in" };

type SignInPageProps = { searchParams: Promise<SearchParams> };

export default async function StaffSignInPage({ searchParams }: SignInPageProps) {
  const { next } = await searchParams;
  const path = safePath(typeof next === "string" ? next : undefined, "/support");
  const target =
    path === "/support" || path.startsWith("/support/") || path.startsWith("/support?") ? path : "/support";
  if (await signedIn((await headers()).get("cookie"), "staff")) redirect(target);
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="border-violet border-b-2 bg-violet-ground px-4 sm:px-6">
        <p className="flex h-10 items-center font-semibold text-[13px] text-violet">Cardlane support</p>
      </header>
      <main id="content" className="flex flex-1 flex-col items-center px-4 pt-[8vh] pb-16 sm:px-6">
        <div className="w-full max-w-[22rem]">
          <h1 className="font-semibold text-xl leading-8 tracking-tight">Support sign-in</h1>
          <p className="mb-6 text-[13px] text-soft">
            For Cardlane&rsquo;s own staff. Merchants sign in{" "}
            <a href="/sign-in" className="text-accent underline underline-offset-3">
              to their dashboard
            </a>
            .
          </p>
          <StaffSignInForm next={target} />
        </div>
      </main>
    </div>
  );
}
