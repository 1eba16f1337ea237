ALTER DOMAIN "report_type" DROP CONSTRAINT "report_type_check";--> statement-breakpoint
ALTER DOMAIN "report_type" ADD CONSTRAINT "report_type_check"
  CHECK (VALUE IN ('activity', 'balance', 'payouts', 'fees', 'disputes', 'subscriptions', 'transactions'));
