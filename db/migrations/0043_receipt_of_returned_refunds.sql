-- No row can break the longer list, so none is looked at.
alter domain receipt_cause drop constraint receipt_cause_check;
--> statement-breakpoint
alter domain receipt_cause add constraint receipt_cause_check check (value in ('captured', 'refunded', 'refund_failed', 'requested')) not valid;
--> statement-breakpoint
DROP INDEX "receipt_mails_once";
--> statement-breakpoint
CREATE UNIQUE INDEX "receipt_mails_each" ON "receipt_mails" USING btree ("environment_id","transaction_id","cause") WHERE cause <> 'requested';
