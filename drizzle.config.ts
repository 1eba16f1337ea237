import { defineConfig } from "drizzle-kit";

// `npm run db:generate` turns changes of db/schema into a migration; what Drizzle cannot say (triggers) is written by hand
// into migrations made with `drizzle-kit generate --custom`.
export default defineConfig({ dialect: "postgresql", schema: "./db/schema/*.ts", out: "./db/migrations" });
