import { gzipSync } from "node:zlib";
import type { Spelled } from "./canaries";
import type { Push } from "./card-data-paths";
import {
  ANSWERED,
  cardOf,
  type Doors,
  FORM_TYPE,
  inUrl,
  JSON_TYPE,
  type Place,
  SAME_ORIGIN,
  takesHeader,
} from "./card-data-places";

const HEADERS = [
  ...["User-Agent", "Referer", "Origin", "Cookie", "Authorization", "Accept", "Accept-Language", "Accept-Encoding"],
  ...[
    "X-Request-Id",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "Forwarded",
    "X-Real-IP",
    "Traceparent",
  ],
  ...["X-Api-Key", "X-Made-Up", "Range", "If-None-Match", "Next-Action", "Next-Router-State-Tree", "Next-Url", "RSC"],
  ...["X-Nextjs-Data", "X-Invoke-Path", "X-Middleware-Subrequest", "Sec-Fetch-Site", "Purpose", "Content-Language"],
];

/** Places that read headers: a logged refusal, the form, a page, and a sign-in stored with its user agent. */
const READERS: Record<string, (doors: Doors) => Promise<Push>> = {
  "the API": async (doors) => ({
    path: "/v1/payments",
    headers: { "X-Api-Key": doors.apiKey },
    body: { amount: 0 },
    expected: ANSWERED,
  }),
  "the form": async (doors) => ({
    path: `/pay/${await doors.newSession()}/attempts`,
    headers: SAME_ORIGIN,
    body: {},
    expected: ANSWERED,
  }),
  "the dashboard": async (doors) => ({
    path: "/api/dashboard/test/saved-views",
    headers: { ...SAME_ORIGIN, Cookie: (await doors.owner()).cookie },
    body: {},
    expected: ANSWERED,
  }),
  "a page": async () => ({ path: "/sign-in", method: "GET", expected: ANSWERED }),
  "a page that is posted to": async () => ({ path: "/sign-in", raw: "x", expected: ANSWERED }),
};

async function signInOf(doors: Doors, headers: Record<string, string>): Promise<Push> {
  const [{ email, password }, { cookie, csrfToken }] = await Promise.all([doors.owner(), doors.visitor()]);
  return {
    path: "/api/auth/callback/credentials",
    headers: { ...SAME_ORIGIN, ...FORM_TYPE, Cookie: cookie, ...headers },
    raw: new URLSearchParams({ csrfToken, json: "true", email, password }).toString(),
    expected: 200,
  };
}

const headerPlaces = (): Place[] => [
  ...Object.entries(READERS).flatMap(([reader, pushOf]) =>
    HEADERS.map(
      (header): Place => ({
        name: `${header} to ${reader}`,
        takes: takesHeader,
        push: async ({ text }, doors) => {
          const push = await pushOf(doors);
          return { ...push, headers: { ...push.headers, [header]: text } };
        },
      }),
    ),
  ),
  {
    name: "the browser that signs in",
    takes: takesHeader,
    push: ({ text }, doors) => signInOf(doors, { "User-Agent": text }),
  },
];

const BOUNDARY = "----------cardlane";
type Body = { readonly headers: Record<string, string>; readonly raw: string | Buffer };
const json = (sent: Spelled) =>
  JSON.stringify({ amount: 1, number: sent.text, card: { ...cardOf(sent), number: sent.text } });
const multipart = ({ text }: Spelled, type = `multipart/form-data; boundary=${BOUNDARY}`): Body => {
  const part = (name: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${text}"\r\n\r\n${text}\r\n`;
  return {
    headers: { "Content-Type": type },
    raw: `${part("card")}${part("1_$ACTION_REF_1")}${part(text)}--${BOUNDARY}--\r\n`,
  };
};

/** Malformed or unexpected bodies. */
const BODIES: Record<string, (sent: Spelled) => Body> = {
  "cut off": ({ text }) => ({
    headers: JSON_TYPE,
    raw: `{"attempt":"a","card":{"number":${JSON.stringify(text).slice(0, -1)}`,
  }),
  "no JSON at the number": ({ text }) => ({ headers: JSON_TYPE, raw: `{"card":{"number":${text}x}}` }),
  "a text alone": ({ text }) => ({ headers: JSON_TYPE, raw: JSON.stringify(text) }),
  "a list": ({ text }) => ({ headers: JSON_TYPE, raw: JSON.stringify([[text]]) }),
  "a control character": ({ text }) => ({ headers: JSON_TYPE, raw: `{"number":"${text}\u0001"}` }),
  "a member twice": ({ text }) => ({ headers: JSON_TYPE, raw: `{"amount":${JSON.stringify(text)},"amount":1}` }),
  "too large": (sent) => ({ headers: JSON_TYPE, raw: `{"x":"${"x".repeat(70_000)}","y":${json(sent)}}` }),
  "UTF-16": (sent) => ({ headers: JSON_TYPE, raw: Buffer.from(json(sent), "utf16le") }),
  compressed: (sent) => ({ headers: { ...JSON_TYPE, "Content-Encoding": "gzip" }, raw: gzipSync(json(sent)) }),
  "a form": ({ text, code }) => ({
    headers: FORM_TYPE,
    raw: `number=${inUrl(text.toWellFormed())}&cvv=${code}&${text}=1`,
  }),
  "a form with files": (sent) => multipart(sent),
  "a form with files and no boundary": (sent) => multipart(sent, "multipart/form-data"),
  "plain text": ({ text }) => ({ headers: { "Content-Type": "text/plain" }, raw: text }),
  XML: ({ text }) => ({ headers: { "Content-Type": "application/xml" }, raw: `<card number="${text}">${text}</card>` }),
};

const bodyPlaces = (): Place[] => {
  const targets: Record<string, (doors: Doors) => Promise<Push>> = {
    ...Object.fromEntries(Object.entries(READERS).filter(([reader]) => reader !== "a page")),
    "the sign-in": async (doors) => ({
      path: "/api/auth/callback/credentials",
      headers: { ...SAME_ORIGIN, Cookie: (await doors.visitor()).cookie },
      expected: ANSWERED,
    }),
    "the sign-up": async () => ({ path: "/api/sign-up", headers: SAME_ORIGIN, expected: ANSWERED }),
    "a challenge": async () => ({ path: "/challenge/none/result", headers: SAME_ORIGIN, expected: ANSWERED }),
    "the sample shop": async ({ baseUrl }) => ({
      path: "/demo/checkout/session",
      headers: { ...SAME_ORIGIN, Origin: baseUrl },
      expected: ANSWERED,
    }),
    "the support staff": async (doors) => ({
      path: `/api/support/merchants/${doors.merchant.id}/suspend`,
      headers: { ...SAME_ORIGIN, Cookie: (await doors.staff()).cookie },
      expected: ANSWERED,
    }),
  };
  return Object.entries(targets).flatMap(([target, pushOf]) => [
    ...Object.entries(BODIES).map(
      ([name, bodyOf]): Place => ({
        name: `${name}, to ${target}`,
        push: async (sent, doors) => {
          const { body: _, ...push } = await pushOf(doors);
          const { headers, raw } = bodyOf(sent);
          return { ...push, headers: { ...push.headers, ...headers }, raw };
        },
      }),
    ),
    {
      name: `a content type, to ${target}`,
      takes: takesHeader,
      push: async (sent, doors) => {
        const { body: _, ...push } = await pushOf(doors);
        return {
          ...push,
          headers: { ...push.headers, "Content-Type": `application/json; charset=${sent.text}` },
          raw: json(sent),
        };
      },
    },
  ]);
};

/** Barely valid HTTP, sent as raw bytes. */
const WIRES = [
  "GET /TEXT HTTP/1.1\r\nHost: HOST\r\n\r\n",
  "GET /v1/payments/TEXT HTTP/1.1\r\nHost: HOST\r\nX-Api-Key: KEY\r\n\r\n",
  "GET http://TEXT/ HTTP/1.1\r\nHost: HOST\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: TEXT.example\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: HOST\r\nTEXT: 1\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: HOST\r\nTEXT\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: HOST\r\nExpect: TEXT\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: TEXT\r\n\r\n",
  "GET / HTTP/TEXT\r\nHost: HOST\r\n\r\n",
  "TEXT / HTTP/1.1\r\nHost: HOST\r\n\r\n",
  "CONNECT TEXT:443 HTTP/1.1\r\nHost: TEXT:443\r\n\r\n",
  "POST /v1/payments HTTP/1.1\r\nHost: HOST\r\nX-Api-Key: KEY\r\nContent-Length: TEXT\r\n\r\nTEXT",
  "POST /v1/payments HTTP/1.1\r\nHost: HOST\r\nX-Api-Key: KEY\r\nTransfer-Encoding: TEXT\r\n\r\nTEXT",
  "POST /v1/payments HTTP/1.1\r\nHost: HOST\r\nX-Api-Key: KEY\r\nTransfer-Encoding: chunked\r\n\r\n2;a=TEXT\r\n{}\r\nTEXT\r\n",
  "POST /sign-in HTTP/1.1\r\nHost: HOST\r\nNext-Action: TEXT\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n[]TEXT",
  `GET / HTTP/1.1\r\nHost: HOST\r\nX-Long: TEXT${"a".repeat(17_000)}\r\n\r\n`,
];

const rawPlaces = (): Place[] =>
  WIRES.map((wire) => ({
    name: `over the wire, ${JSON.stringify(wire.slice(0, 100))}`,
    takes: (text) => takesHeader(text) && !text.includes(" "),
    push: ({ text }, doors) => {
      const filled = wire
        .replaceAll("TEXT", text)
        .replaceAll("HOST", new URL(doors.baseUrl).host)
        .replace("KEY", doors.apiKey);
      return { path: "", wire: filled, expected: [0, 101, ...ANSWERED, 421, 501, 505] };
    },
  }));

/** Headers, bodies of all kinds, and bytes that aren't a request. */
export const wirePlaces = (): Place[] => [...headerPlaces(), ...bodyPlaces(), ...rawPlaces()];
