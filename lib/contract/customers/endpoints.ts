import { endpoint, QUERY_ERRORS } from "@/lib/contract/endpoint";
import { customer, customerList, listCustomersQuery } from "./customer";

export const listCustomers = endpoint({
  name: "listCustomers",
  list: true,
  method: "GET",
  path: "/v1/customers",
  tag: "Customers",
  summary: "List customers",
  description:
    "Your customers, most recent payment first: one for each `customer_id` in your payments and subscriptions or, without one, each e-mail address. Payments with neither belong to no customer. New payments and subscriptions appear within seconds. Subscribers without a payment are sorted by when they subscribed.",
  permissions: ["transaction.read", "transaction.search"],
  idempotency: "none",
  query: listCustomersQuery,
  status: 200,
  response: customerList,
  errors: QUERY_ERRORS,
});

export const getCustomer = endpoint({
  name: "getCustomer",
  method: "GET",
  path: "/v1/customers/{id}",
  tag: "Customers",
  summary: "Get a customer",
  description: "One customer, with totals by currency and the cards used.",
  permissions: ["transaction.read", "transaction.search"],
  idempotency: "none",
  status: 200,
  response: customer,
  errors: ["resource_not_found"],
});
