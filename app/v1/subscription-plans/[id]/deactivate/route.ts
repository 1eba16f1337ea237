import { deactivatePlan } from "@/lib/contract/plans/operations";
import { route } from "@/lib/http/route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(deactivatePlan);
