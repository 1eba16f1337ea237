"use client";

import { ApiError, NoResponseError } from "@/lib/client/api";
import { newIdempotencyKey } from "@/lib/client/payments/money-ports";
import { FILE_TYPES, type FileType, MAX_FILE_BYTES } from "@/lib/contract/disputes/evidence";
import type { File as StoredFile } from "@/lib/contract/disputes/file";
import type { Mode } from "@/lib/contract/transactions/words";

/** Media types and endings that the browser's file picker offers. */
export const ACCEPTED_FILES = [...FILE_TYPES, ".pdf", ".png", ".jpg", ".jpeg"].join(",");

/** Why a chosen file can't be uploaded, before it is sent; null if it may be. The service checks the content. */
export function fileProblem({ name, size, type }: Pick<File, "name" | "size" | "type">): string | null {
  if (size === 0) return `${name} is empty.`;
  if (size > MAX_FILE_BYTES) return `${name} is larger than 5 MB. Make it smaller, or split it.`;
  if (type !== "" && !FILE_TYPES.includes(type as FileType)) return `${name} isn’t a PDF, PNG or JPEG.`;
  return null;
}

/** "182 kB", "1.4 MB". */
export const sizeText = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1_000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

type Upload = { mode: Mode; signal: AbortSignal; onProgress: (share: number) => void };

/**
 * Uploads a file with progress, which `fetch` doesn't report. Throws like `callApi`. `onProgress`: the share
 * that was sent, from 0 to 1.
 */
export function uploadFile(file: File, { mode, signal, onProgress }: Upload): Promise<StoredFile> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const lost = () => reject(new NoResponseError("No response arrived. Check your connection."));
    request.open("POST", "/v1/files");
    request.setRequestHeader("X-Cardlane-Mode", mode);
    request.setRequestHeader("X-Idempotency-Key", newIdempotencyKey());
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const body = parse(request.responseText);
      if (body === null) return lost();
      if (request.status < 400) return resolve(body as StoredFile);
      const headers = { "x-request-id": request.getResponseHeader("x-request-id") ?? "" };
      reject(new ApiError(new Response(null, { status: request.status, headers }), body as Record<string, unknown>));
    };
    request.onerror = lost;
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort());
    const form = new FormData();
    form.set("file", file, file.name);
    request.send(form);
  });
}

function parse(text: string): object | null {
  try {
    return JSON.parse(text) as object;
  } catch {
    return null;
  }
}
