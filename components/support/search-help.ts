/** In one sentence; the start page has the table. */
export const WHAT_CAN_BE_FOUND =
  "ids that begin with pay_, txn_, key_, mer_, env_, plan_, cs_, batch_, evt_, req_, usr_ or sub_, operations by their UUID, e-mail addresses, last 4 digits, amounts, idempotency keys, customer ids and merchant names";

export const SEARCH_EXAMPLES: readonly { what: string; how: string; finds: string }[] = [
  {
    what: "Id",
    how: "pay_…, txn_…, key_…, mer_…, req_…, usr_… and the others",
    finds: "That one thing, whoever's it is",
  },
  { what: "E-mail address", how: "anna@example.com", finds: "A customer's transactions, and people who sign in" },
  { what: "Last 4 digits", how: "4242", finds: "The newest transactions with such a card" },
  {
    what: "Amount",
    how: "12.34, $12.34 or 12.34 EUR",
    finds: "Transactions of exactly that amount, in any currency if none is given",
  },
  { what: "Request", how: "req_…", finds: "What the request began, or why it was refused" },
  { what: "Idempotency key", how: "the whole key", finds: "Its first use, and the payment" },
  { what: "Operation", how: "its UUID, as the processor knows it", finds: "The payment it belongs to" },
  { what: "Merchant", how: "any part of the name", finds: "The merchant" },
];
