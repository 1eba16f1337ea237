import type { NextConfig } from "next";
import { SDK_HEADERS, TARBALL_HEADERS } from "./lib/http/payment-form-assets";

const asList = (headers: Record<string, string>) => Object.entries(headers).map(([key, value]) => ({ key, value }));

const config: NextConfig = {
  agentRules: false,
  poweredByHeader: false,
  // No image is resized, so no image library is needed.
  images: { unoptimized: true },
  reactStrictMode: true,
  // The API handles every path itself: /v1/payments/ is an unknown path, not a redirect.
  skipTrailingSlashRedirect: true,
  // Loaded by Node: compiling them into the pages takes a quarter of the build time.
  serverExternalPackages: [
    "@modelcontextprotocol/server",
    "@node-rs/argon2",
    "@zxcvbn-ts/core",
    "@zxcvbn-ts/language-common",
    "csv-parse",
    "csv-stringify",
    "drizzle-orm",
    "highlight.js",
    "hucre",
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
  // `npm run check` and `npm test` check all types.
  typescript: { ignoreBuildErrors: true },
  // Headers of every response are set in lib/server/next-requests.ts, with a new nonce each time.
  headers: async () => [
    ...Object.entries(SDK_HEADERS).map(([source, headers]) => ({ source, headers: asList(headers) })),
    { source: "/sdk/:file(node-[\\w.-]+\\.tgz)", headers: asList(TARBALL_HEADERS) },
  ],
  // One route serves every guide as Markdown.
  rewrites: async () => [{ source: "/:page(docs(?:/[a-z-]+)?).md", destination: "/docs/markdown/:page" }],
  redirects: async () => [
    { source: "/:mode(test|live)/settings", destination: "/:mode/settings/account", permanent: false },
    { source: "/:mode(test|live)/developers", destination: "/:mode/developers/api-keys", permanent: false },
  ],
  // Next pre-renders and caches nothing (lib/server/public-pages.ts keeps the public ones), and unopened
  // pages take no memory.
  cacheMaxMemorySize: 0,
  // A build runs once per set of sources, so a compiler cache would never be read.
  experimental: { preloadEntriesOnStart: false, turbopackFileSystemCacheForBuild: false, turbopackSourceMaps: false },
  turbopack: {
    rules: {
      "**/sonner/dist/index.mjs": { loaders: ["./scripts/without-injected-styles.cjs"] },
      "*.mdx": { loaders: ["./scripts/mdx-loader.cjs"], as: "*.js" },
    },
  },
};

export default config;
