import { z } from "zod";
import { endpoint, QUERY_ERRORS } from "@/lib/contract/endpoint";
import {
  createdParams,
  isInOrder,
  isPagedOnce,
  listOf,
  OUT_OF_ORDER,
  PAGED_TWICE,
  pageParams,
} from "@/lib/contract/fields";
import { idInput } from "@/lib/contract/ids";
import { EVENT_TYPES, event } from "./event";

const eventList = listOf(event).meta({ id: "EventList" });

export const listEventsQuery = z
  .strictObject({
    ...pageParams,
    type: z.enum(EVENT_TYPES).optional().describe("Only events of this type."),
    object_id: idInput
      .optional()
      .describe("Only events about this object, such as a payment, a transaction or an API key."),
    ...createdParams,
  })
  .refine(isInOrder, OUT_OF_ORDER)
  .refine(isPagedOnce, PAGED_TWICE);
export type ListEventsQuery = z.infer<typeof listEventsQuery>;

export const listEvents = endpoint({
  name: "listEvents",
  list: true,
  method: "GET",
  path: "/v1/events",
  tag: "Events",
  summary: "List events",
  description: "What happened in the last 90 days, newest first.",
  permissions: ["event.read"],
  idempotency: "none",
  query: listEventsQuery,
  status: 200,
  response: eventList,
  errors: QUERY_ERRORS,
});

export const getEvent = endpoint({
  name: "getEvent",
  long: true,
  method: "GET",
  path: "/v1/events/{id}",
  tag: "Events",
  summary: "Get an event",
  description: "One event of the last 90 days.",
  permissions: ["event.read"],
  idempotency: "none",
  status: 200,
  response: event,
  errors: ["resource_not_found"],
});

export const streamEvents = endpoint({
  name: "streamEvents",
  method: "GET",
  path: "/v1/events/stream",
  tag: "Events",
  summary: "Stream events",
  description:
    "Server-sent events: each event as it happens, oldest first, with its id as `id`, its type as `event` and the event itself as `data`. " +
    "Send the last `id` you received as `Last-Event-ID` to continue after it; without it, the stream begins now. The first message is " +
    "an `id` without data, so that a connection lost before the first event misses none. Two events of one object that happen at the same time can arrive in either order: `sequence` says which came first. It closes within a second when its key stops working. Use the stream in " +
    "development, and webhooks in production.",
  permissions: ["event.read"],
  idempotency: "none",
  status: 200,
  response: event,
  streams: true,
  errors: ["invalid_parameter"],
});
