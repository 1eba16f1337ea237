/** Text, or its UTF-8 in pieces where it is long. */
export type Body = string | readonly Uint8Array[];

/** An answer before it is sent. Plain, because our own host writes it as it is; Next takes a `Response`. */
export type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  /** To be called when it was sent, or is not to be. */
  readonly sent?: () => void;
};

/** One that is never long. */
export type TextAnswer = HttpAnswer & { readonly body: string };

export function toResponse({ status, headers, body, sent }: HttpAnswer): Response {
  sent?.();
  return new Response(typeof body === "string" ? body : Buffer.concat(body), { status, headers });
}

export function bytesOf(body: Body): number {
  if (typeof body === "string") return Buffer.byteLength(body);
  return body.reduce((sum, piece) => sum + piece.byteLength, 0);
}

export const textOf = (body: Body): string => (typeof body === "string" ? body : Buffer.concat(body).toString("utf8"));
