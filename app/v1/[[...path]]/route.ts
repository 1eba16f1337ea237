import { toResponse } from "@/lib/http/answer";
import { refuse } from "@/lib/http/route";

const unknownPath = (request: Request) => toResponse(refuse(request, null));

export {
  unknownPath as DELETE,
  unknownPath as GET,
  unknownPath as OPTIONS,
  unknownPath as PATCH,
  unknownPath as POST,
  unknownPath as PUT,
};
