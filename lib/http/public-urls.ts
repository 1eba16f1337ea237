import { connection } from "next/server";
import { env } from "@/lib/env";

/** The service's addresses as this running process knows them; a page that shows one is rendered on request. */
export async function publicUrls() {
  await connection();
  return { baseUrl: env.baseUrl, sandboxBaseUrl: env.sandboxBaseUrl, liveBaseUrl: env.liveBaseUrl };
}
