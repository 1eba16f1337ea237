import { defineConfig } from "drizzle-kit";

// `npm run db:generate` turns changes of db/schema into a migration. SQL that Drizzle cannot express, such as
// triggers, goes into migrations created with `drizzle-kit generate --custom`.
export default defineConfig({ dialect: "postgresql", schema: "./db/schema/*.ts", out: "./db/migrations" });
