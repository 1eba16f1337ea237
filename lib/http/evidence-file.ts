import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";
import { getEvidenceFile } from "@/lib/domain/disputes/dispute-pages";
import { currentService } from "./current-service";
import { userCall } from "./dashboard";
import { acquireExportSlot, exportStream, requireOwnPage } from "./export";
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

/** Downloads a file of a dispute's evidence. Takes one of the merchant's export slots until it is sent. */
export async function evidenceFileRoute(
  request: Request,
  params: { mode: string; id: string; file: string },
): Promise<Response> {
  const { service } = currentService();
  const info = infoOf(request);
  const headers = headersOf(info);
  let release = () => {};
  try {
    requireOwnPage(request);
    const { ctx, merchant } = await userCall(ENDPOINT, request, params, info);
    const slot = await acquireExportSlot(merchant.id, { mode: ctx.environment.mode, gone: request.signal });
    release = slot.release;
    const { name, type, size, bytes } = await getEvidenceFile(ctx, params);
    const init = {
      headers: {
        ...headers,
        "Content-Type": type,
        "Content-Length": String(size),
        "Content-Disposition": dispositionOf(name),
        "Content-Security-Policy": SANDBOX,
        "X-Content-Type-Options": "nosniff",
      },
    };
    if (request.method === "HEAD") {
      release();
      return new Response(null, init);
    }
    const body = exportStream({
      parts: partsOf(bytes),
      signal: AbortSignal.any([request.signal, slot.signal]),
      sent: slot.note,
      close: release,
      failed: (error) => service.log.error({ err: error, request_id: info.id }, "a file could not be sent"),
    });
    return new Response(body, init);
  } catch (thrown) {
    release();
    return toResponse(failureResponse(thrown, info, headers));
  }
}

/** Sent in parts, so that the time limit for a client that stops receiving applies to each. */
const PART_BYTES = 64 * 1024;

async function* partsOf(bytes: Buffer): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.byteLength; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES);
}

/** The name in UTF-8 (RFC 5987), and for old clients in ASCII, with its extension at least. */
export function dispositionOf(name: string): string {
  const ascii = name
    .normalize("NFKD")
    .replace(/[^\x20-\x7e]/g, "")
    .replace(/["\\%;/]/g, "_")
    .trim();
  const plain = ascii === "" || ascii.startsWith(".") ? `file${ascii}` : ascii;
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
