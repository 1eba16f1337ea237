-- By default autovacuum waits until a fifth of a table has changed, which at ten million rows takes weeks. Until
-- it runs, totals look up each new row in the table (850 ms for 10,000 from disk, 2 ms afterwards), and dead
-- entries stay in the small indexes of what is due. Each run costs one read of the table's indexes.
alter table transactions set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);--> statement-breakpoint
alter table payments set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);--> statement-breakpoint
alter table operations set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
