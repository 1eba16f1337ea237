import { openOutbox } from "@/lib/http/outbox";

export const GET = openOutbox;
