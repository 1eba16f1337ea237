/** Bodies of uploads: a form with one file. */
import { createHash } from "node:crypto";
import { keepableText } from "@/lib/contract/card-numbers";
import { MAX_FILE_BYTES } from "@/lib/contract/disputes/evidence";
import type { Endpoint } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import { check, fieldErrors, readBytes } from "./parse";
import { type ApiRequest, decidingHeader } from "./request-parts";
import type { UploadSlot } from "./upload-slots";

const FORM = /^\s*multipart\/form-data\s*;.*\bboundary=/i;
const MAX_NAME = 100;

/**
 * The validated form, with the file's content beside it. Throws 413, 415 or 400. `seen` receives the file's
 * name and digest, never its content.
 */
export async function parseFileBody(
  request: ApiRequest,
  endpoint: Pick<Endpoint, "name" | "body" | "maxBodyBytes">,
  seen: (sent: unknown) => void,
  slot: UploadSlot | null,
): Promise<{ body: unknown; bytes: Buffer }> {
  if (!endpoint.body) throw new Error(`${endpoint.name} takes no file`);
  const type = decidingHeader(request.headers, "Content-Type") ?? "";
  if (!FORM.test(type)) {
    throw new AppError(
      "unsupported_media_type",
      "Send the file as multipart/form-data in a part named file: curl -F file=@invoice.pdf.",
    );
  }
  const form = await readBytes(request, endpoint.maxBodyBytes, slot);
  slot?.arrived();
  const parts = await readForm(type, form);
  const { file } = parts;
  if (!(file instanceof File)) {
    const message = file === undefined ? "Send the file in a part named file." : "Send a file with a name, not text.";
    throw fieldErrors([
      { param: "file", code: file === undefined ? "missing_parameter" : "invalid_parameter", message },
    ]);
  }
  if (file.size > MAX_FILE_BYTES)
    throw new AppError("body_too_large", "The file can have at most 5 MB.", { param: "file" });
  const bytes = Buffer.from(await file.arrayBuffer());
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const given = { ...parts, file: { name: file.name, size: file.size, sha256 } };
  seen(given);
  return { body: check(endpoint.body, given), bytes };
}

/** The form's parts by name. */
async function readForm(type: string, bytes: Uint8Array): Promise<Record<string, string | File>> {
  let form: FormData;
  try {
    form = await new Response(Buffer.from(bytes), { headers: { "Content-Type": type } }).formData();
  } catch {
    throw new AppError("invalid_parameter", "The body is not a valid multipart/form-data form, or it was cut off.");
  }
  const parts: Record<string, string | File> = Object.create(null);
  for (const [name, value] of form) {
    if (name in parts) {
      const param = keepableText(name, MAX_NAME);
      throw fieldErrors([{ param, code: "invalid_parameter", message: "Given more than once." }]);
    }
    parts[name] = value;
  }
  return parts;
}
