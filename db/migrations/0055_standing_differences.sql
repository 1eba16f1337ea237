ALTER TABLE "reconciliation_runs" ADD COLUMN "standing_at" timestamp (3) with time zone[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "reconciliation_runs" ADD COLUMN "standing" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "reconciliation_runs" ADD COLUMN "standing_in_all" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "reconciliation_runs_ended" ON "reconciliation_runs" USING btree ("connection_id","finished_at") WHERE state = 'done';--> statement-breakpoint
CREATE INDEX "reconciliation_runs_until" ON "reconciliation_runs" USING btree ("connection_id","until") WHERE state = 'done';--> statement-breakpoint
CREATE INDEX "reconciliation_runs_standing" ON "reconciliation_runs" USING btree ("connection_id","standing") WHERE standing > 0;--> statement-breakpoint
CREATE INDEX "reconciliation_runs_requests" ON "reconciliation_runs" USING btree ("connection_id","requested_at") WHERE requested_at is not null;--> statement-breakpoint

-- What stands of the comparisons that were made before, as it was counted for every page until now.
update reconciliation_runs r set standing_at = s.standing_at, standing = cardinality(s.standing_at) + s.beyond
from (
  select e.id, array(
      select (d->>'at')::timestamptz(3) from jsonb_array_elements(e.differences) d
      where not coalesce((d->>'at')::timestamptz <@ again.looked, false)) as standing_at,
    case when again.wholly then 0 else e.difference_count - jsonb_array_length(e.differences) end as beyond
  from reconciliation_runs e
  cross join lateral (
    select range_agg(tstzrange(later.since, later.until)) as looked,
      coalesce(bool_or(later.since <= e.since and later.until >= e.until), false) as wholly
    from reconciliation_runs later
    where later.connection_id = e.connection_id and later.state = 'done' and later.id > e.id and later.since < later.until
      and (later.payments + later.refunds + later.difference_count > 0 or later.unchecked = '[]')
  ) again
  where e.state = 'done' and e.difference_count > 0
) s
where r.id = s.id;--> statement-breakpoint
update reconciliation_runs r set standing_in_all = s.standing
from (
  select connection_id, (array_agg(id order by finished_at desc, id desc))[1] as last, sum(standing) as standing
  from reconciliation_runs where state = 'done' group by connection_id
) s
where r.id = s.last;
