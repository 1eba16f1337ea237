/** An answer before it is sent. Plain, because our own host writes it as it is; Next takes a `Response`. */
export type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export function toResponse({ status, headers, body }: HttpAnswer): Response {
  return new Response(body, { status, headers });
}
