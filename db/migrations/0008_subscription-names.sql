alter table subscriptions rename column trial_end_told to trial_end_announced;
--> statement-breakpoint
alter table invoices rename constraint invoices_tries to invoices_attempts;
