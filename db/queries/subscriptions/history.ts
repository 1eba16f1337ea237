import type { Sql } from "@/db/client";
import type { ActorRecord } from "@/db/schema/operations";
import type { EventData, EventType } from "@/lib/contract/events/event";

export type HistoryRow = {
  id: string;
  type: EventType;
  created_at: string;
  data: EventData<EventType>;
  /** Actor of the audit log's entry; null for an event without its own entry. */
  actor: ActorRecord | null;
  request_id: string | null;
};

/** Latest invoices whose events are read, and the latest events of each. */
const INVOICES = 20;
const EVENTS = 12;

/**
 * The latest events of a subscription and its invoices, newest first. Indexes: `events_object` and
 * `invoices_subscription`.
 */
export async function listHistory(
  sql: Sql,
  environmentId: string,
  subscriptionId: string,
  limit: number,
): Promise<HistoryRow[]> {
  return sql<HistoryRow[]>`
    select e.id, e.type, e.created_at, e.data, a.actor, a.request_id
    from (
      (select environment_id, id, type, created_at, data from events
        where environment_id = ${environmentId}::uuid and object_id = ${subscriptionId}::uuid
        order by sequence desc limit ${limit}::int)
      union all
      (select own.* from (
          select id from invoices
          where environment_id = ${environmentId}::uuid and subscription_id = ${subscriptionId}::uuid
          order by id desc limit ${INVOICES}::int) i
        cross join lateral (
          select environment_id, id, type, created_at, data from events
          where environment_id = ${environmentId}::uuid and object_id = i.id
          order by sequence desc limit ${EVENTS}::int) own)
    ) e
    left join audit_log a on a.environment_id = e.environment_id and a.id = e.id
    order by e.created_at desc, e.id desc limit ${limit}::int`;
}
