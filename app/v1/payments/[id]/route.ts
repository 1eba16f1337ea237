import { getPayment } from "@/lib/contract/operations/payments";
import { route } from "@/lib/http/route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(getPayment);
