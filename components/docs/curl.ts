type CurlRequest = {
  method: string;
  url: string;
  /** A money operation: every try needs its key. */
  idempotencyKey?: string;
  withApiKey: boolean;
  body?: unknown;
};

/** The request as a command to paste; `$CARDLANE_KEY` stands for the API key. */
export function curl({ method, url, idempotencyKey, withApiKey, body }: CurlRequest): string {
  const flags: string[] = [];
  if (withApiKey) flags.push('-H "X-Api-Key: $CARDLANE_KEY"');
  if (idempotencyKey !== undefined) flags.push(`-H "X-Idempotency-Key: ${idempotencyKey}"`);
  if (body !== undefined) {
    flags.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(body, null, 2)}'`);
  }
  const target = url.includes("?") ? `'${url}'` : url;
  const first = method === "GET" ? `curl ${target}` : `curl -X ${method} ${target}`;
  return [first, ...flags].join(" \\\n  ");
}
