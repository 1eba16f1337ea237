ALTER TABLE "events" RENAME COLUMN "payload" TO "data";--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "sequence" integer;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "captured" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "event_sequence" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- What only the name of an event told until now: which authorizations took the money at once.
UPDATE operations o SET captured = true
WHERE o.state = 'succeeded' AND (o.kind = 'capture' OR (o.kind IN ('authorize', 'continue') AND EXISTS (
  SELECT FROM events e WHERE e.environment_id = o.environment_id AND e.operation_id = o.id AND e.type = 'payment.captured')));--> statement-breakpoint
DROP INDEX "events_operation";--> statement-breakpoint
DROP INDEX "events_object";--> statement-breakpoint
-- A refund's events are the refund's own, a settled charge's belong to its batch, plans are named as the API names them, and
-- every object's events are numbered. What older versions wrote as the object stays as it was.
UPDATE events e SET object_id = n.object_id, operation_id = n.operation_id, sequence = n.sequence,
  type = regexp_replace(e.type, '^plan\.', 'subscription_plan.'),
  data = ('{"object":' || CASE WHEN e.data ->> 'object' = 'event' THEN e.data -> 'data' ELSE e.data END || ',"previous":null}')::json
FROM (
  SELECT environment_id, id, object_id, operation_id,
    row_number() OVER (PARTITION BY environment_id, object_id ORDER BY created_at, id) AS sequence
  FROM (
    SELECT e.environment_id, e.id, e.created_at, coalesce(o.transaction_id, e.object_id) AS object_id,
      coalesce(e.operation_id, t.settlement_batch_id) AS operation_id
    FROM events e
    LEFT JOIN operations o ON o.environment_id = e.environment_id AND o.id = e.operation_id AND o.kind = 'refund'
    LEFT JOIN payments p ON p.environment_id = e.environment_id AND p.id = e.object_id AND e.type = 'payment.settled'
    LEFT JOIN transactions t ON t.environment_id = p.environment_id AND t.id = p.charge_id
  ) told
) n
WHERE n.environment_id = e.environment_id AND n.id = e.id;--> statement-breakpoint
UPDATE payments p SET event_sequence = e.last
FROM (SELECT environment_id, object_id, max(sequence) AS last FROM events GROUP BY environment_id, object_id) e
WHERE e.environment_id = p.environment_id AND e.object_id = p.id;--> statement-breakpoint
ALTER TABLE "events" ALTER COLUMN "sequence" SET NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "events_object" ON "events" USING btree ("environment_id","object_id","sequence");
