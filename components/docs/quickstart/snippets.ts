/**
 * Everything the quickstart lets a reader copy. `{{BASE}}` becomes the address of the service. e2e/docs/quickstart.spec.ts
 * copies each of them from the page and runs it.
 */
type Snippet = (baseUrl: string) => string;

const file =
  (text: string): Snippet =>
  (baseUrl) =>
    `${text.trim().replaceAll("{{BASE}}", baseUrl)}\n`;

export const KEEP_KEY = "export CARDLANE_KEY=sk_test_…";
export const CREATE_KEY = `npm run create-key -- --merchant mer_… --mode test --name "Checkout" \\
  --permissions client_session.create,payment.read`;

export const CURL_SESSION = file(`
curl {{BASE}}/v1/client-sessions \\
  -H "X-Api-Key: $CARDLANE_KEY" \\
  -H "X-Idempotency-Key: order-$(date +%s)" \\
  -H "Content-Type: application/json" \\
  -d '{
    "amount": 1999,
    "currency": "USD",
    "allowed_origins": ["http://localhost:4242"],
    "return_url": "http://localhost:4242/result"
  }'
`);

export const NODE_RESULT = `
// What counts is what Cardlane tells your server, never what a browser says.
async function outcomeOf(sessionId) {
  const path = "/v1/client-sessions/" + encodeURIComponent(sessionId);
  const session = await cardlane("GET", path);
  if (session.payment_id === null) return "Not paid: the session is " + session.status;
  const payment = await cardlane("GET", "/v1/payments/" + session.payment_id);
  // Here a real shop marks session.metadata.order as paid, once.
  if (payment.status === "CAPTURED" || payment.status === "SETTLED") {
    return "Paid: " + payment.amount + " " + payment.currency;
  }
  if (payment.status === "AUTHORIZED") return "Reserved: capture it when you ship";
  return "Not paid: the payment is " + payment.status;
}
`;

export const NODE_SERVER = file(`
// server.mjs, a shop that sells one book. It stands beside checkout.html.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

const CARDLANE = "{{BASE}}";
const KEY = process.env.CARDLANE_KEY;
const PORT = Number(process.env.PORT ?? 4242);
const SHOP = "http://localhost:" + PORT;

if (!KEY) throw new Error("Set CARDLANE_KEY to your sandbox key, sk_test_…");

async function cardlane(method, path, body, idempotencyKey) {
  const headers = { "X-Api-Key": KEY };
  if (body) headers["Content-Type"] = "application/json";
  if (idempotencyKey) headers["X-Idempotency-Key"] = idempotencyKey;
  const response = await fetch(CARDLANE + path, {
    method,
    headers,
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.code + ": " + answer.detail);
  return answer;
}

// The price is decided here, never by the browser. The order's number is the
// idempotency key: a reload or a double click gets the same session again.
function createSession(order) {
  const session = {
    amount: 1999, // $19.99: amounts are in the currency's smallest unit
    currency: "USD",
    allowed_origins: [SHOP],
    return_url: SHOP + "/result",
    metadata: { order },
  };
  return cardlane("POST", "/v1/client-sessions", session, "order-" + order);
}
${NODE_RESULT}
createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, SHOP);
  const send = (status, type, text) => {
    response.writeHead(status, { "Content-Type": type + "; charset=utf-8" }).end(text);
  };
  try {
    if (request.method === "POST" && pathname === "/checkout") {
      const order = searchParams.get("order") ?? "";
      if (!/^[\\w-]{8,64}$/.test(order)) return send(400, "text/plain", "The order has no number.");
      const { client_session_token: token } = await createSession(order);
      return send(200, "application/json", JSON.stringify({ token }));
    }
    if (pathname === "/result") {
      return send(200, "text/plain", await outcomeOf(searchParams.get("client_session_id") ?? ""));
    }
    if (pathname === "/") {
      return send(200, "text/html", await readFile(new URL("checkout.html", import.meta.url)));
    }
    send(404, "text/plain", "There is nothing here.");
  } catch (error) {
    console.error(error);
    send(502, "text/plain", "The shop cannot take payments right now.");
  }
}).listen(PORT, "localhost", () => console.log("Your shop: " + SHOP));
`);

export const PYTHON_RESULT = `
# What counts is what Cardlane tells your server, never what a browser says.
def outcome_of(session_id):
    session = cardlane("GET", "/v1/client-sessions/" + quote(session_id, safe=""))
    if session["payment_id"] is None:
        return f"Not paid: the session is {session['status']}"
    payment = cardlane("GET", "/v1/payments/" + session["payment_id"])
    # Here a real shop marks session["metadata"]["order"] as paid, once.
    if payment["status"] in ("CAPTURED", "SETTLED"):
        return f"Paid: {payment['amount']} {payment['currency']}"
    if payment["status"] == "AUTHORIZED":
        return "Reserved: capture it when you ship"
    return f"Not paid: the payment is {payment['status']}"
`;

export const PYTHON_SERVER = file(`
# server.py, a shop that sells one book. It stands beside checkout.html.
import json
import os
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import parse_qs, quote, urlsplit
from urllib.request import Request, urlopen

CARDLANE = "{{BASE}}"
KEY = os.environ["CARDLANE_KEY"]  # your sandbox key, sk_test_…
PORT = int(os.environ.get("PORT", "4242"))
SHOP = f"http://localhost:{PORT}"


def cardlane(method, path, body=None, idempotency_key=None):
    headers = {"X-Api-Key": KEY}
    if body is not None:
        headers["Content-Type"] = "application/json"
    if idempotency_key is not None:
        headers["X-Idempotency-Key"] = idempotency_key
    data = None if body is None else json.dumps(body).encode()
    try:
        request = Request(CARDLANE + path, data, headers, method=method)
        with urlopen(request, timeout=30) as response:
            return json.load(response)
    except HTTPError as error:
        problem = json.load(error)
        raise RuntimeError(f"{problem['code']}: {problem['detail']}") from error


# The price is decided here, never by the browser. The order's number is the
# idempotency key: a reload or a double click gets the same session again.
def create_session(order):
    session = {
        "amount": 1999,  # $19.99: amounts are in the currency's smallest unit
        "currency": "USD",
        "allowed_origins": [SHOP],
        "return_url": SHOP + "/result",
        "metadata": {"order": order},
    }
    return cardlane("POST", "/v1/client-sessions", session, "order-" + order)

${PYTHON_RESULT}

class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer("GET")

    def do_POST(self):
        self.answer("POST")

    def answer(self, method):
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        try:
            self.send(*self.page(method, url.path, query))
        except (RuntimeError, OSError) as error:
            self.log_error("%s", error)
            self.send(502, "text/plain", "The shop cannot take payments right now.")

    def page(self, method, path, query):
        if method == "POST" and path == "/checkout":
            order = query.get("order", "")
            if not re.fullmatch(r"[\\w-]{8,64}", order, re.ASCII):
                return 400, "text/plain", "The order has no number."
            token = create_session(order)["client_session_token"]
            return 200, "application/json", json.dumps({"token": token})
        if path == "/result":
            return 200, "text/plain", outcome_of(query.get("client_session_id", ""))
        if path == "/":
            page = Path(__file__).with_name("checkout.html")
            return 200, "text/html", page.read_text("utf-8")
        return 404, "text/plain", "There is nothing here."

    def send(self, status, content_type, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type + "; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("localhost", PORT), Shop)
print(f"Your shop: {SHOP}", flush=True)
server.serve_forever()
`);

export const CHECKOUT_PAGE = file(`
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Checkout</title>
    <script src="{{BASE}}/sdk/v1.js"></script>
    <style>
      body { max-width: 26rem; margin: 3rem auto; padding: 0 1rem; }
      body { font-family: system-ui, sans-serif; }
    </style>
  </head>
  <body>
    <h1>A good book, $19.99</h1>
    <div id="card-form"></div>
    <p id="message" role="status"></p>
    <script type="module">
      // The order's number, for as long as this tab has it open.
      const order = (sessionStorage.order ??= crypto.randomUUID());
      const response = await fetch("/checkout?order=" + order, { method: "POST" });
      if (response.ok) {
        const { token } = await response.json();
        Cardlane.mount("#card-form", {
          token,
          onSuccess({ returnUrl }) {
            delete sessionStorage.order;
            location.assign(returnUrl); // the shop's own /result, which asks the server
          },
          onExpired() {
            delete sessionStorage.order;
            location.reload();
          },
        });
      } else {
        document.getElementById("message").textContent = await response.text();
      }
    </script>
  </body>
</html>
`);

export const RUN_NODE = "node server.mjs";
export const RUN_PYTHON = "python3 server.py";

export const KEEP_SESSION = "export SESSION=cs_…";
export const CURL_GET_SESSION = file(`
curl {{BASE}}/v1/client-sessions/$SESSION -H "X-Api-Key: $CARDLANE_KEY"
`);
export const KEEP_PAYMENT = "export PAYMENT=pay_…";
export const CURL_GET_PAYMENT = file(`
curl {{BASE}}/v1/payments/$PAYMENT -H "X-Api-Key: $CARDLANE_KEY"
`);
