/** Mutants of the Stripe and Adyen connectors and of the choice between them, in the format of `list.mjs`. */
const FAULTS = "every operation reaches its true outcome";
const stripe = (file) => `lib/processor/stripe/${file}.ts`;
const adyen = (file) => `lib/processor/adyen/${file}.ts`;
const STRIPE = "e2e/doubles/stripe";
const ADYEN = "e2e/doubles/adyen";

export const CONNECTOR_MUTANTS = [
  {
    name: "Stripe: a refund that doesn't check the list first",
    edits: [[stripe("movements"), "if (before) return keptRefund(before, request);", ""]],
    tests: ["int", `${STRIPE}/faults.int.test.ts`, FAULTS],
  },
  {
    name: "Stripe: the id is kept after the confirmation",
    edits: [
      [
        stripe("payments"),
        'await request.keep({ kind: "payment_intent", id });\n    return confirmed(budget, id, request);',
        'const outcome = await confirmed(budget, id, request);\n    await request.keep({ kind: "payment_intent", id });\n    return outcome;',
      ],
    ],
    tests: [
      "int",
      `${STRIPE}/port.int.test.ts`,
      "of an authorization: if `keep` fails before the call, nothing is executed",
    ],
  },
  {
    name: "Stripe: a capture without its metadata mark",
    edits: [[stripe("movements"), ", [METADATA.capture]: reference };", " };"]],
    tests: ["int", `${STRIPE}/port.int.test.ts`, "a capture of any part"],
  },
  {
    name: "Stripe: unsigned messages are accepted",
    edits: [[stripe("reports"), /event = stripe\.webhooks\.constructEvent\([^;]*;/, "event = JSON.parse(body);"]],
    tests: ["int", `${STRIPE}/connector.int.test.ts`, "with another's signature, or an old one, are not read"],
  },
  {
    name: "Adyen: an accepted operation counts as completed",
    edits: [
      [
        adyen("records"),
        'return received ? { kind: "pending" } : null;',
        'return received ? { kind: "approved" } : null;',
      ],
    ],
    tests: ["int", `${ADYEN}/domain.int.test.ts`, "a capture and refunds stay pending until their webhooks"],
  },
  {
    name: "Adyen: unsigned messages are accepted",
    edits: [
      [adyen("notices"), "data !== undefined && isSigned(data, hmacKey)", "data !== undefined && hmacKey !== ''"],
    ],
    tests: ["unit", `${ADYEN}/port.test.ts`, "are read every time they are sent, and only unmodified"],
  },
  {
    name: "Adyen: facts from webhooks alone are not stored",
    edits: [[adyen("processor"), 'await keepPayment(request, kind === "authorize" ? reference : authorization);', ""]],
    tests: ["int", `${ADYEN}/domain.int.test.ts`, "are stored despite a lost response"],
  },
  {
    name: "Adyen: a key counts as unused without being closed",
    edits: [
      [
        adyen("processor"),
        "    const first = await sendClosing();",
        '    if (recorded) return { kind: "never" };\n    const first = await sendClosing();',
      ],
    ],
    tests: ["int", `${ADYEN}/faults.int.test.ts`, "authorize lost after"],
  },
  {
    name: "a payment without a connection uses the default one",
    edits: [
      [
        "lib/processor/connections.ts",
        "if (connectionId === null) return own.find(environment, null);\n    let found = await knownOf(environment);",
        "let found = await knownOf(environment);\n    connectionId ??= [...(found?.rows.values() ?? [])].find((row) => row.is_default)?.id ?? null;\n    if (connectionId === null) return own.find(environment, null);",
      ],
    ],
    tests: ["int", "lib/domain/processors/routing.int.test.ts", "stays with the connection it was made at"],
  },
  {
    name: "Adyen: an approval is acknowledged while its challenge is being refused",
    edits: [["lib/processor/adyen/records.ts", " || passes ||", " ||"]],
    tests: ["int", "e2e/doubles/adyen/notices.int.test.ts", "our key is being refused for the last time"],
  },
];
