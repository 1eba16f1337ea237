ALTER TABLE "customers" ALTER COLUMN "first_payment_at" DROP NOT NULL;--> statement-breakpoint
-- Queues subscriptions for the job that maintains customers: a free trial has no charge yet.
create function queue_subscriber() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into customers_due (environment_id, transaction_id) values (new.environment_id, new.id);
  return null;
end $$;
--> statement-breakpoint
create trigger subscriptions_queued after insert on subscriptions for each row execute function queue_subscriber();
--> statement-breakpoint
insert into customers_due (environment_id, transaction_id) select environment_id, id from subscriptions on conflict do nothing;
