import type { NextConfig } from "next";
import { SDK_HEADERS } from "./lib/http/payment-form-assets";

const asList = (headers: Record<string, string>) => Object.entries(headers).map(([key, value]) => ({ key, value }));

const config: NextConfig = {
  agentRules: false,
  poweredByHeader: false,
  // Nothing of ours is resized, so nothing is installed that would do it.
  images: { unoptimized: true },
  reactStrictMode: true,
  // The API decides about every path itself: /v1/payments/ is an unknown one, not a redirect.
  skipTrailingSlashRedirect: true,
  // Loaded by Node instead of compiled into the pages, which would take a quarter of the build.
  serverExternalPackages: [
    "@modelcontextprotocol/server",
    "@node-rs/argon2",
    "@zxcvbn-ts/core",
    "@zxcvbn-ts/language-common",
    "csv-parse",
    "csv-stringify",
    "drizzle-orm",
    "highlight.js",
    "ipaddr.js",
    "minisearch",
    "nodemailer",
    "otpauth",
    "pino",
    "postgres",
    "prom-client",
    "safe-stable-stringify",
    "stripe",
    "uuidv7",
    "zod",
  ],
  // `npm run check` and `npm test` check the types of everything.
  typescript: { ignoreBuildErrors: true },
  // What holds for every answer is set by lib/server/next-requests.ts, with a nonce for each.
  headers: async () => Object.entries(SDK_HEADERS).map(([source, headers]) => ({ source, headers: asList(headers) })),
  // The documentation for machines: one route makes all of its pages.
  rewrites: async () => [{ source: "/:page(docs(?:/[a-z_-]+){0,2}).md", destination: "/docs/markdown/:page" }],
  redirects: async () => [
    { source: "/:mode(test|live)/settings", destination: "/:mode/settings/account", permanent: false },
    { source: "/:mode(test|live)/developers", destination: "/:mode/developers/api-keys", permanent: false },
  ],
  // Nothing is rendered ahead or kept by Next (lib/server keeps the public pages), and a page that nobody opens takes no memory.
  cacheMaxMemorySize: 0,
  // A build is made once for its sources, so that it would write a cache of the compiler for nobody.
  experimental: { preloadEntriesOnStart: false, turbopackFileSystemCacheForBuild: false, turbopackSourceMaps: false },
  turbopack: {
    rules: {
      "**/sonner/dist/index.mjs": { loaders: ["./scripts/without-injected-styles.cjs"] },
      "*.mdx": { loaders: ["./scripts/mdx-loader.cjs"], as: "*.js" },
    },
  },
};

export default config;
