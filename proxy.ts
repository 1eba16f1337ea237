import { type NextRequest, NextResponse } from "next/server";

/**
 * Passes a page its own address, which Next does not provide: the sign-in redirects back to it. Blocks
 * nothing.
 */
export function proxy(request: NextRequest): NextResponse {
  const headers = new Headers(request.headers);
  headers.set("x-cardlane-path", request.nextUrl.pathname + request.nextUrl.search);
  return NextResponse.next({ request: { headers } });
}

export const config = { matcher: ["/test/:path*", "/live/:path*", "/support/:path*"] };
