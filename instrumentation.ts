/** Next calls this once, before its first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { startUnderNext } = await import("@/lib/server/under-next");
  await startUnderNext({ dev: process.env.NODE_ENV === "development" });
}
