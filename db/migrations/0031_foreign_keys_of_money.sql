ALTER TABLE "operations" DROP CONSTRAINT "operations_environment_id_payment_id_payments_environment_id_id_fk";
--> statement-breakpoint
ALTER TABLE "payments" DROP CONSTRAINT "payments_environment_id_environments_id_fk";
--> statement-breakpoint
ALTER TABLE "transactions" DROP CONSTRAINT "transactions_environment_id_payment_id_payments_environment_id_id_fk";
