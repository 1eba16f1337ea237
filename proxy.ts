import { type NextRequest, NextResponse } from "next/server";

/** Tells the pages their own address, which Next does not: the sign-in leads back to it. Decides nothing. */
export function proxy(request: NextRequest): NextResponse {
  const headers = new Headers(request.headers);
  headers.set("x-cardlane-path", request.nextUrl.pathname + request.nextUrl.search);
  return NextResponse.next({ request: { headers } });
}

export const config = { matcher: ["/test/:path*", "/live/:path*", "/support/:path*"] };
