import { createClientSession } from "@/lib/contract/checkout/operations";
import { route } from "@/lib/http/route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(createClientSession);
