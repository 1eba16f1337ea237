CREATE SCHEMA "sandbox_processor";
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"last4" text NOT NULL,
	"secret_sha256" "bytea" NOT NULL,
	"permissions" text[] NOT NULL,
	"status" "api_key_status" NOT NULL,
	"ip_allow_list" text[] DEFAULT '{}' NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"last_used_ip" text,
	"rotated_from" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_keys_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "api_keys_secret" UNIQUE("secret_sha256")
);
--> statement-breakpoint
CREATE TABLE "client_sessions" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"token_sha256" "bytea" NOT NULL,
	"status" text NOT NULL,
	"amount" bigint NOT NULL,
	"currency" text NOT NULL,
	"capture_method" text NOT NULL,
	"plan_id" uuid,
	"payment_id" uuid,
	"customer_id" text,
	"customer_email" text,
	"customer_name" text,
	"billing_address" jsonb,
	"allowed_origins" text[] NOT NULL,
	"return_url" text,
	"appearance" jsonb,
	"metadata" jsonb NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "client_sessions_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "client_sessions_token" UNIQUE("token_sha256"),
	CONSTRAINT "client_sessions_amount" CHECK ("client_sessions"."amount" > 0),
	CONSTRAINT "client_sessions_created_with_id" CHECK ("client_sessions"."created_at" = uuid_time("client_sessions"."id"))
);
--> statement-breakpoint
CREATE TABLE "payment_tokens" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"processor_token" text NOT NULL,
	"card_brand" "card_brand",
	"card_last4" text NOT NULL,
	"card_bin" text NOT NULL,
	"card_exp_month" smallint NOT NULL,
	"card_exp_year" smallint NOT NULL,
	"card_fingerprint" text NOT NULL,
	"client_session_id" uuid,
	"payment_id" uuid,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "payment_tokens_environment_id_id_pk" PRIMARY KEY("environment_id","id")
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"actor" jsonb NOT NULL,
	"action" text NOT NULL,
	"object_id" uuid NOT NULL,
	"request_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "audit_log_environment_id_id_pk" PRIMARY KEY("environment_id","id")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"type" text NOT NULL,
	"operation_id" uuid,
	"object_id" uuid NOT NULL,
	"payload" json NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "events_environment_id_id_pk" PRIMARY KEY("environment_id","id")
);
--> statement-breakpoint
CREATE TABLE "ledger_entries" (
	"environment_id" uuid NOT NULL,
	"operation_id" uuid NOT NULL,
	"line" smallint NOT NULL,
	"payment_id" uuid,
	"debit_account" "ledger_account" NOT NULL,
	"credit_account" "ledger_account" NOT NULL,
	"amount" bigint NOT NULL,
	"currency" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_entries_environment_id_operation_id_line_pk" PRIMARY KEY("environment_id","operation_id","line"),
	CONSTRAINT "ledger_entries_two_sides" CHECK ("ledger_entries"."debit_account" <> "ledger_entries"."credit_account"),
	CONSTRAINT "ledger_entries_amount" CHECK ("ledger_entries"."amount" > 0)
);
--> statement-breakpoint
CREATE TABLE "settlement_batches" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"currency" text NOT NULL,
	"charge_count" bigint NOT NULL,
	"charge_amount" bigint NOT NULL,
	"refund_count" bigint NOT NULL,
	"refund_amount" bigint NOT NULL,
	"reversal_count" bigint NOT NULL,
	"reversal_amount" bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "settlement_batches_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "settlement_batches_amounts" CHECK ("settlement_batches"."charge_amount" >= 0 and "settlement_batches"."refund_amount" >= 0 and "settlement_batches"."reversal_amount" >= 0)
);
--> statement-breakpoint
CREATE TABLE "environments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"merchant_id" uuid NOT NULL,
	"mode" "mode" NOT NULL,
	"fee_basis_points" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "environments_merchant_mode" UNIQUE("merchant_id","mode"),
	CONSTRAINT "environments_fee" CHECK ("environments"."fee_basis_points" between 0 and 10000)
);
--> statement-breakpoint
CREATE TABLE "merchants" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"suspended_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"merchant_id" uuid NOT NULL,
	"email" text NOT NULL,
	"password_hash" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"environment_id" uuid NOT NULL,
	"key" text NOT NULL,
	"operation_name" text NOT NULL,
	"path" text NOT NULL,
	"request_digest" "bytea" NOT NULL,
	"request_id" uuid NOT NULL,
	"actor" jsonb NOT NULL,
	"operation_id" uuid,
	"state" text NOT NULL,
	"locked_until" timestamp (3) with time zone NOT NULL,
	"status_code" smallint,
	"response_body" text,
	"response_sealed" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	CONSTRAINT "idempotency_keys_environment_id_key_pk" PRIMARY KEY("environment_id","key"),
	CONSTRAINT "idempotency_keys_done" CHECK (("idempotency_keys"."state" = 'done') = ("idempotency_keys"."response_body" is not null))
);
--> statement-breakpoint
CREATE TABLE "operations" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"payment_id" uuid NOT NULL,
	"transaction_id" uuid NOT NULL,
	"kind" "operation_kind" NOT NULL,
	"state" "operation_state" NOT NULL,
	"amount" bigint NOT NULL,
	"currency" text NOT NULL,
	"detail" text,
	"idempotency_key" text,
	"actor" jsonb NOT NULL,
	"request_id" uuid,
	"epoch" integer DEFAULT 1 NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"unknown_at" timestamp (3) with time zone,
	"accepted_at" timestamp (3) with time zone,
	"next_attempt_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer DEFAULT 1 NOT NULL,
	"last_answer" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	CONSTRAINT "operations_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "operations_amount" CHECK ("operations"."amount" > 0)
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"charge_id" uuid NOT NULL,
	"authorization_id" uuid NOT NULL,
	"status" "payment_status" NOT NULL,
	"currency" text NOT NULL,
	"amount" bigint NOT NULL,
	"capture_method" text NOT NULL,
	"amount_captured" bigint DEFAULT 0 NOT NULL,
	"amount_refunded" bigint DEFAULT 0 NOT NULL,
	"refund_pending" bigint DEFAULT 0 NOT NULL,
	"open_operation_id" uuid,
	"version" integer DEFAULT 1 NOT NULL,
	"capture_before" timestamp (3) with time zone,
	"customer_id" text,
	"return_url" text,
	"next_action" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "payments_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "payments_created_with_id" CHECK ("payments"."created_at" = uuid_time("payments"."id")),
	CONSTRAINT "payments_amount" CHECK ("payments"."amount" > 0),
	CONSTRAINT "payments_captured" CHECK ("payments"."amount_captured" between 0 and "payments"."amount"),
	CONSTRAINT "payments_refunded" CHECK ("payments"."amount_refunded" >= 0 and "payments"."refund_pending" >= 0 and "payments"."amount_refunded" + "payments"."refund_pending" <= "payments"."amount_captured")
);
--> statement-breakpoint
CREATE TABLE "plans" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"type" "plan_type" NOT NULL,
	"name" text NOT NULL,
	"currency" text NOT NULL,
	"full_price" bigint NOT NULL,
	"status" "plan_status" NOT NULL,
	"description" text,
	"billing_frequency_value" integer,
	"billing_frequency_unit" text,
	"trial_period_value" integer,
	"trial_period_unit" text,
	"trial_price" bigint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "plans_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "plans_name" UNIQUE("environment_id","name"),
	CONSTRAINT "plans_prices" CHECK ("plans"."full_price" > 0 and ("plans"."trial_price" is null or "plans"."trial_price" > 0)),
	CONSTRAINT "plans_created_with_id" CHECK ("plans"."created_at" = uuid_time("plans"."id"))
);
--> statement-breakpoint
CREATE TABLE "sandbox_processor"."charges" (
	"reference" uuid PRIMARY KEY NOT NULL,
	"account" uuid NOT NULL,
	"behaviour" text NOT NULL,
	"outcome" "sandbox_charge_outcome" NOT NULL,
	"decline_code" text,
	"amount" bigint NOT NULL,
	"currency" text NOT NULL,
	"capture_at_once" boolean NOT NULL,
	"amount_captured" bigint DEFAULT 0 NOT NULL,
	"amount_refunded" bigint DEFAULT 0 NOT NULL,
	"voided" boolean DEFAULT false NOT NULL,
	"avs_result" text NOT NULL,
	"cvv_result" text NOT NULL,
	"card_attempts" smallint NOT NULL,
	"email_attempts" smallint NOT NULL,
	"address_attempts" smallint NOT NULL,
	"average_amount" bigint,
	"card_digest" uuid NOT NULL,
	"email_digest" uuid,
	"address_digest" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sandbox_charges_declined" CHECK (("sandbox_processor"."charges"."outcome" = 'declined') = ("sandbox_processor"."charges"."decline_code" is not null)),
	CONSTRAINT "sandbox_charges_amount" CHECK ("sandbox_processor"."charges"."amount" > 0),
	CONSTRAINT "sandbox_charges_captured" CHECK ("sandbox_processor"."charges"."amount_captured" between 0 and "sandbox_processor"."charges"."amount"),
	CONSTRAINT "sandbox_charges_refunded" CHECK ("sandbox_processor"."charges"."amount_refunded" between 0 and "sandbox_processor"."charges"."amount_captured"),
	CONSTRAINT "sandbox_charges_voided" CHECK (not "sandbox_processor"."charges"."voided" or "sandbox_processor"."charges"."amount_captured" = 0),
	CONSTRAINT "sandbox_charges_unapproved" CHECK ("sandbox_processor"."charges"."outcome" = 'approved' or ("sandbox_processor"."charges"."amount_captured" = 0 and not "sandbox_processor"."charges"."voided"))
);
--> statement-breakpoint
CREATE TABLE "sandbox_processor"."operations" (
	"reference" uuid PRIMARY KEY NOT NULL,
	"account" uuid NOT NULL,
	"kind" "sandbox_operation_kind" NOT NULL,
	"charge" uuid NOT NULL,
	"amount" bigint NOT NULL,
	"currency" text NOT NULL,
	"outcome" "sandbox_operation_outcome" NOT NULL,
	"decline_code" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sandbox_operations_amount" CHECK ("sandbox_processor"."operations"."amount" > 0)
);
--> statement-breakpoint
CREATE TABLE "sandbox_processor"."refusals" (
	"reference" uuid PRIMARY KEY NOT NULL,
	"account" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sandbox_processor"."reports" (
	"reference" uuid PRIMARY KEY NOT NULL,
	"account" uuid NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"applied_at" timestamp (3) with time zone,
	"acknowledged_at" timestamp (3) with time zone,
	CONSTRAINT "sandbox_reports_order" CHECK ("sandbox_processor"."reports"."acknowledged_at" is null or "sandbox_processor"."reports"."applied_at" is not null)
);
--> statement-breakpoint
CREATE TABLE "service_settings" (
	"key" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "transactions" (
	"environment_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"payment_id" uuid NOT NULL,
	"type" "transaction_type" NOT NULL,
	"status" "transaction_status" NOT NULL,
	"amount" bigint NOT NULL,
	"currency" text NOT NULL,
	"customer_id" text,
	"customer_email" text,
	"customer_name" text,
	"billing_address" jsonb,
	"card_brand" "card_brand",
	"card_last4" text,
	"card_exp_month" smallint,
	"card_exp_year" smallint,
	"card_bin" text,
	"card_fingerprint" text,
	"avs_result" text,
	"cvv_result" text,
	"fraud_score" smallint,
	"fraud_reasons" text[],
	"decline_code" text,
	"subscription_id" uuid,
	"plan_id" uuid,
	"client_session_id" uuid,
	"refund_of" uuid,
	"refund_reason" text,
	"refund_comment" text,
	"void_reason" text,
	"settlement_batch_id" uuid,
	"reversal_batch_id" uuid,
	"description" text,
	"metadata" jsonb NOT NULL,
	"authorized_at" timestamp (3) with time zone,
	"captured_at" timestamp (3) with time zone,
	"settled_at" timestamp (3) with time zone,
	"voided_at" timestamp (3) with time zone,
	"refunded_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "transactions_environment_id_id_pk" PRIMARY KEY("environment_id","id"),
	CONSTRAINT "transactions_created_with_id" CHECK ("transactions"."created_at" = uuid_time("transactions"."id")),
	CONSTRAINT "transactions_amount_positive" CHECK ("transactions"."amount" > 0),
	CONSTRAINT "transactions_reversal" CHECK ("transactions"."reversal_batch_id" is null or ("transactions"."type" = 'REFUND' and "transactions"."status" = 'FAILED' and "transactions"."settled_at" is not null)),
	CONSTRAINT "transactions_refund_of" CHECK (("transactions"."type" = 'REFUND') = ("transactions"."refund_of" is not null))
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_rotated_from" FOREIGN KEY ("environment_id","rotated_from") REFERENCES "public"."api_keys"("environment_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "client_sessions" ADD CONSTRAINT "client_sessions_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "client_sessions" ADD CONSTRAINT "client_sessions_environment_id_plan_id_plans_environment_id_id_fk" FOREIGN KEY ("environment_id","plan_id") REFERENCES "public"."plans"("environment_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "client_sessions" ADD CONSTRAINT "client_sessions_environment_id_payment_id_payments_environment_id_id_fk" FOREIGN KEY ("environment_id","payment_id") REFERENCES "public"."payments"("environment_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_tokens" ADD CONSTRAINT "payment_tokens_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_tokens" ADD CONSTRAINT "payment_tokens_environment_id_client_session_id_client_sessions_environment_id_id_fk" FOREIGN KEY ("environment_id","client_session_id") REFERENCES "public"."client_sessions"("environment_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "environments" ADD CONSTRAINT "environments_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operations" ADD CONSTRAINT "operations_environment_id_payment_id_payments_environment_id_id_fk" FOREIGN KEY ("environment_id","payment_id") REFERENCES "public"."payments"("environment_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plans" ADD CONSTRAINT "plans_environment_id_environments_id_fk" FOREIGN KEY ("environment_id") REFERENCES "public"."environments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transactions" ADD CONSTRAINT "transactions_environment_id_payment_id_payments_environment_id_id_fk" FOREIGN KEY ("environment_id","payment_id") REFERENCES "public"."payments"("environment_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_list" ON "api_keys" USING btree ("environment_id","created_at");--> statement-breakpoint
CREATE INDEX "audit_log_object" ON "audit_log" USING btree ("environment_id","object_id");--> statement-breakpoint
CREATE INDEX "events_object" ON "events" USING btree ("environment_id","object_id");--> statement-breakpoint
CREATE INDEX "events_operation" ON "events" USING btree ("environment_id","operation_id") WHERE operation_id is not null;--> statement-breakpoint
CREATE INDEX "ledger_entries_payment" ON "ledger_entries" USING btree ("environment_id","payment_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "operations_payment" ON "operations" USING btree ("environment_id","payment_id");--> statement-breakpoint
CREATE INDEX "operations_open" ON "operations" USING btree ("next_attempt_at") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "payments_status" ON "payments" USING btree ("environment_id","status","id");--> statement-breakpoint
CREATE INDEX "payments_customer" ON "payments" USING btree ("environment_id","customer_id","id") WHERE customer_id is not null;--> statement-breakpoint
CREATE INDEX "payments_expiring" ON "payments" USING btree ("capture_before") WHERE status = 'AUTHORIZED';--> statement-breakpoint
CREATE INDEX "payments_waiting" ON "payments" USING btree ("updated_at") WHERE status = 'REQUIRES_ACTION';--> statement-breakpoint
CREATE INDEX "sandbox_charges_card" ON "sandbox_processor"."charges" USING btree ("card_digest","created_at");--> statement-breakpoint
CREATE INDEX "sandbox_charges_email" ON "sandbox_processor"."charges" USING btree ("email_digest","created_at") WHERE email_digest is not null;--> statement-breakpoint
CREATE INDEX "sandbox_charges_address" ON "sandbox_processor"."charges" USING btree ("address_digest","created_at") WHERE address_digest is not null;--> statement-breakpoint
CREATE INDEX "sandbox_charges_history" ON "sandbox_processor"."charges" USING btree ("account","currency","created_at") WHERE outcome = 'approved';--> statement-breakpoint
CREATE INDEX "sandbox_operations_charge" ON "sandbox_processor"."operations" USING btree ("charge");--> statement-breakpoint
CREATE INDEX "sandbox_reports_open" ON "sandbox_processor"."reports" USING btree ("due_at") WHERE acknowledged_at is null;--> statement-breakpoint
CREATE INDEX "transactions_payment" ON "transactions" USING btree ("environment_id","payment_id","id");--> statement-breakpoint
CREATE INDEX "transactions_status" ON "transactions" USING btree ("environment_id","status","id","card_brand","amount");--> statement-breakpoint
CREATE INDEX "transactions_brand" ON "transactions" USING btree ("environment_id","card_brand","status","id","amount");--> statement-breakpoint
CREATE INDEX "transactions_customer" ON "transactions" USING btree ("environment_id","customer_id","id") WHERE customer_id is not null;--> statement-breakpoint
CREATE INDEX "transactions_email" ON "transactions" USING btree ("environment_id",lower("customer_email"),"id") WHERE customer_email is not null;--> statement-breakpoint
CREATE INDEX "transactions_subscription" ON "transactions" USING btree ("environment_id","subscription_id","id") WHERE subscription_id is not null;--> statement-breakpoint
CREATE INDEX "transactions_last4" ON "transactions" USING btree ("environment_id","card_last4","id");--> statement-breakpoint
CREATE INDEX "transactions_amount" ON "transactions" USING btree ("environment_id","amount","id","status","card_brand");--> statement-breakpoint
CREATE INDEX "transactions_unsettled" ON "transactions" USING btree ("environment_id","currency","id") WHERE settled_at is null and captured_at is not null and status <> 'FAILED';--> statement-breakpoint
CREATE INDEX "transactions_unsettled_reversals" ON "transactions" USING btree ("environment_id","currency","id") WHERE type = 'REFUND' and status = 'FAILED' and settled_at is not null and reversal_batch_id is null;--> statement-breakpoint
CREATE INDEX "transactions_batch" ON "transactions" USING btree ("environment_id","settlement_batch_id") WHERE settlement_batch_id is not null;