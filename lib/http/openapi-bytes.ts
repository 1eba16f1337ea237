import type { Service } from "@/lib/domain/context";
import { env } from "@/lib/env";
import { buildOpenApi } from "./openapi";

let bytes: Buffer | null = null;

/**
 * The OpenAPI document as it is sent; made once, since it depends on the configuration alone. Bytes: a text would be made into
 * them for each answer.
 */
export function openApiBytes(service: Service): Buffer {
  bytes ??= Buffer.from(
    JSON.stringify(
      buildOpenApi({ baseUrl: service.baseUrl, sandboxBaseUrl: env.sandboxBaseUrl, liveBaseUrl: env.liveBaseUrl }),
    ),
  );
  return bytes;
}
