import { getOpenApi } from "@/lib/contract/operations";
import { route } from "@/lib/http/route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(getOpenApi);
