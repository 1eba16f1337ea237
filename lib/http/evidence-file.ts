import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { getEvidenceFile } from "@/lib/domain/disputes/dispute-pages";
import { userCall } from "./dashboard";
import { acquireExportSlot, requireOwnPage } from "./export";
import { failureResponse, headersOf, infoOf } from "./pipeline";
import { toResponse } from "./response";

const ENDPOINT = dashboardEndpoint({
  name: "download_evidence",
  method: "GET",
  path: "/{mode}/disputes/{id}/files/{file}",
  permission: "dispute.read",
  status: 200,
  response: z.unknown(),
});

/** Browsers may save a file of a stranger, and never show it as part of this site. */
const SANDBOX = "sandbox; default-src 'none'";

/** Downloads a file of a dispute's evidence. Takes one of the merchant's export slots while it is in memory. */
export async function evidenceFileRoute(
  request: Request,
  params: { mode: string; id: string; file: string },
): Promise<Response> {
  const info = infoOf(request);
  const headers = headersOf(info);
  let release = () => {};
  try {
    requireOwnPage(request);
    const { ctx, merchant } = await userCall(ENDPOINT, request, params, info);
    const slot = await acquireExportSlot(merchant.id, { mode: ctx.environment.mode, gone: request.signal });
    release = slot.release;
    const { name, type, size, bytes } = await getEvidenceFile(ctx, params);
    return new Response(request.method === "HEAD" ? null : new Uint8Array(bytes), {
      headers: {
        ...headers,
        "Content-Type": type,
        "Content-Length": String(size),
        "Content-Disposition": dispositionOf(name),
        "Content-Security-Policy": SANDBOX,
        "X-Content-Type-Options": "nosniff",
      },
    });
  } catch (thrown) {
    return toResponse(failureResponse(thrown, info, headers));
  } finally {
    release();
  }
}

/** The name in UTF-8 (RFC 5987), and for old clients in ASCII. */
function dispositionOf(name: string): string {
  const plain =
    name
      .normalize("NFKD")
      .replace(/[^\x20-\x7e]/g, "")
      .replace(/["\\%;]/g, "_") || "file";
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
