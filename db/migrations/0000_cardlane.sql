-- The whole schema: what `npm run db:generate` makes of db/schema, and what Drizzle cannot express (domains,
-- functions, triggers, partitions, storage parameters, views). Comments on tables and indexes are in
-- db/schema; grants and row-level security are in db/rights.ts.

create schema sandbox_processor;
-- Daily partitions of the request log. No role has grants here: all access goes through request_log.
create schema request_log_days;

-- Enums of the API (`oneOf` in db/columns.ts); a test compares both.
create domain api_key_status as text check (value in ('ACTIVE', 'DISABLED', 'REVOKED'));
create domain card_brand as text check (value in ('visa', 'mastercard', 'amex', 'discover'));
create domain connection_status as text check (value in ('CONNECTED', 'DISCONNECTED'));
create domain dispute_status as text check (value in ('NEEDS_RESPONSE', 'UNDER_REVIEW', 'WON', 'LOST', 'ACCEPTED'));
create domain kept_body as text check (value in ('whole', 'redacted', 'cut', 'left_out'));
create domain ledger_account as text check (value in (
  'processor_receivable', 'merchant_payable', 'merchant_available', 'merchant_in_payout', 'fees', 'bank', 'suspense'));
create domain mode as text check (value in ('test', 'live'));
create domain operation_kind as text check (value in ('authorize', 'continue', 'capture', 'void', 'refund'));
create domain operation_state as text check (value in ('open', 'succeeded', 'declined', 'failed', 'action_required'));
create domain payment_status as text check (value in (
  'PENDING', 'AUTHORIZED', 'CAPTURED', 'SETTLED', 'VOIDED', 'REFUNDED', 'PARTIALLY_REFUNDED', 'DECLINED', 'FAILED',
  'REQUIRES_ACTION'));
create domain payout_status as text check (value in ('PENDING', 'IN_TRANSIT', 'PAID', 'FAILED'));
create domain plan_status as text check (value in ('DRAFT', 'ACTIVE', 'INACTIVE'));
create domain plan_type as text check (value in (
  'ONE_TIME', 'SUBSCRIPTION_NO_TRIAL', 'SUBSCRIPTION_FREE_TRIAL', 'SUBSCRIPTION_PAID_TRIAL'));
create domain receipt_cause as text check (value in ('captured', 'refunded', 'refund_failed', 'requested'));
create domain reconciliation_state as text check (value in ('requested', 'running', 'done', 'failed'));
create domain sandbox_charge_outcome as text check (value in ('approved', 'declined', 'action_required'));
create domain sandbox_operation_kind as text check (value in ('continue', 'capture', 'void', 'refund'));
create domain sandbox_operation_outcome as text check (value in ('approved', 'declined', 'failed'));
create domain transaction_status as text check (value in (
  'PENDING', 'AUTHORIZED', 'CAPTURED', 'SETTLED', 'VOIDED', 'REFUNDED', 'PARTIALLY_REFUNDED', 'DECLINED', 'FAILED'));
create domain transaction_type as text check (value in ('CHARGE', 'REFUND'));
create domain webhook_delivery_status as text check (value in ('PENDING', 'DELIVERED', 'FAILED'));
create domain webhook_disabled_reason as text check (value in ('manual', 'gone', 'failing'));
create domain webhook_endpoint_status as text check (value in ('ENABLED', 'DISABLED'));
create domain webhook_notice as text check (value in ('failing', 'disabled'));
create domain webhook_payload as text check (value in ('full', 'thin'));
create domain webhook_signature as text check (value in ('v1', 'v1+v1a'));
--> statement-breakpoint

-- Accounts and people

create table merchants (
  id uuid primary key,
  name text not null,
  website text,
  support_email text,
  time_zone text not null default 'UTC',
  refund_limit_usd integer not null default 1000,
  suspended_at timestamptz(3),
  suspended_reason text,
  created_at timestamptz(3) not null default now(),
  constraint merchants_refund_limit check (refund_limit_usd between 0 and 1000000)
);

create table environments (
  id uuid primary key,
  merchant_id uuid not null,
  mode mode not null,
  fee_basis_points bigint not null default 0,
  checkout_appearance jsonb,
  abandoned_at timestamptz(3),
  emptied_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  constraint environments_merchant_mode unique (merchant_id, mode),
  constraint environments_fee check (fee_basis_points between 0 and 10000)
);

create table users (
  id uuid primary key,
  merchant_id uuid,
  email text not null,
  email_verified_at timestamptz(3),
  owns_email boolean not null default false,
  name text,
  password_hash text not null,
  role text not null,
  failed_sign_ins integer not null default 0,
  locked_until timestamptz(3),
  failed_proofs integer not null default 0,
  proofs_locked_until timestamptz(3),
  failed_codes integer not null default 0,
  codes_locked_until timestamptz(3),
  totp_secret text,
  totp_enabled_at timestamptz(3),
  totp_last_step bigint,
  preferences jsonb not null default '{}'::jsonb,
  last_sign_in_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  constraint users_verified_owns check (email_verified_at is null or owns_email),
  constraint users_merchant_or_staff check ((role = 'staff') = (merchant_id is null))
);

create table user_sessions (
  id uuid primary key,
  user_id uuid not null,
  address text not null,
  user_agent text,
  mfa_at timestamptz(3),
  proved_at timestamptz(3),
  last_seen_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);

create table user_tokens (
  id uuid primary key,
  user_id uuid not null,
  purpose text not null,
  email text,
  token_sha256 bytea not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);

create table recovery_codes (
  user_id uuid not null,
  code_sha256 bytea not null,
  used_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  constraint recovery_codes_user_id_code_sha256_pk primary key (user_id, code_sha256)
);

create table refund_allowances (
  user_id uuid not null,
  currency text not null,
  spent bigint not null,
  since timestamptz(3) not null default now(),
  constraint refund_allowances_user_id_currency_pk primary key (user_id, currency)
);

create table saved_views (
  environment_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  name text not null,
  query text not null,
  columns text[],
  shared boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint saved_views_environment_id_id_pk primary key (environment_id, id)
);

create table merchant_logos (
  merchant_id uuid primary key,
  sha256 bytea not null,
  content_type text not null,
  width integer not null,
  height integer not null,
  bytes bytea not null,
  created_at timestamptz(3) not null default now(),
  constraint merchant_logos_size check (octet_length(bytes) <= 262144)
);

create table mail_outbox (
  id uuid primary key,
  kind text not null default 'notice',
  recipient text not null,
  sender_name text,
  reply_to text,
  subject text not null,
  body text not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null default now(),
  last_error text,
  sent_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);

create table api_keys (
  environment_id uuid not null,
  id uuid not null,
  name text not null,
  prefix text not null,
  last4 text not null,
  secret_sha256 bytea not null,
  permissions text[] not null,
  status api_key_status not null,
  ip_allow_list text[] not null default '{}',
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  last_used_ip text,
  rotated_from uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint api_keys_environment_id_id_pk primary key (environment_id, id),
  constraint api_keys_secret unique (secret_sha256)
);

--> statement-breakpoint

-- Payments and money

create table plans (
  environment_id uuid not null,
  id uuid not null,
  type plan_type not null,
  name text not null,
  currency text not null,
  full_price bigint not null,
  status plan_status not null,
  description text,
  billing_frequency_value integer,
  billing_frequency_unit text,
  trial_period_value integer,
  trial_period_unit text,
  trial_price bigint,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint plans_name unique (environment_id, name),
  constraint plans_prices check (full_price > 0 and (trial_price is null or trial_price > 0))
);

create table payment_links (
  environment_id uuid not null,
  id uuid not null,
  token text not null,
  name text,
  plan_id uuid,
  amount bigint,
  currency text,
  description text,
  single_use boolean not null,
  asks_email boolean not null default true,
  active boolean not null,
  expires_at timestamptz(3),
  session_id uuid,
  session_token text,
  opened integer not null default 0,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint payment_links_environment_id_id_pk primary key (environment_id, id),
  constraint payment_links_token unique (token),
  constraint payment_links_sells check (
    (plan_id is null) = (amount is not null) and (amount is null) = (currency is null)
    and (plan_id is not null or description is not null)),
  constraint payment_links_amount check (amount > 0),
  constraint payment_links_session check (
    (session_id is null) = (session_token is null) and (single_use or session_id is null))
);

create table client_sessions (
  environment_id uuid not null,
  id uuid not null,
  token_sha256 bytea not null,
  status text not null,
  amount bigint not null,
  currency text not null,
  capture_method text not null,
  plan_id uuid,
  payment_link_id uuid,
  payment_id uuid,
  open_payment_id uuid,
  customer_id text,
  customer_email text,
  customer_name text,
  billing_address jsonb,
  allowed_origins text[] not null,
  return_url text,
  description text,
  appearance jsonb,
  metadata jsonb not null,
  attempts integer not null default 0,
  locale text,
  expires_at timestamptz(3) not null,
  tells_expiry boolean not null default true,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint client_sessions_token unique (token_sha256),
  constraint client_sessions_completed check ((status = 'COMPLETED') = (payment_id is not null)),
  constraint client_sessions_open_payment check (open_payment_id is null or status = 'OPEN'),
  constraint client_sessions_attempts check (attempts between 0 and 5),
  constraint client_sessions_amount check (amount > 0)
);

create table payment_tokens (
  environment_id uuid not null,
  id uuid not null,
  processor_token text not null,
  connection_id uuid,
  card_brand card_brand,
  card_last4 text not null,
  card_bin text not null,
  card_exp_month smallint not null,
  card_exp_year smallint not null,
  card_name text,
  postal_code text,
  client_session_id uuid,
  payment_id uuid,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null
);

create table payments (
  environment_id uuid not null,
  id uuid not null,
  charge_id uuid not null,
  authorization_id uuid not null,
  status payment_status not null,
  currency text not null,
  amount bigint not null,
  capture_method text not null,
  amount_captured bigint not null default 0,
  amount_refunded bigint not null default 0,
  refund_pending bigint not null default 0,
  open_operation_id uuid,
  version integer not null default 1,
  event_sequence integer not null default 0,
  capture_before timestamptz(3),
  customer_id text,
  return_url text,
  connection_id uuid,
  next_action jsonb,
  dispute_id uuid,
  dispute_status dispute_status,
  capture_reversed_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint payments_amount check (amount > 0),
  constraint payments_captured check (amount_captured between 0 and amount),
  constraint payments_dispute check ((dispute_id is null) = (dispute_status is null)),
  constraint payments_refunded check (
    amount_refunded >= 0 and refund_pending >= 0 and amount_refunded + refund_pending <= amount_captured)
);

create table transactions (
  environment_id uuid not null,
  id uuid not null,
  payment_id uuid not null,
  type transaction_type not null,
  status transaction_status not null,
  amount bigint not null,
  currency text not null,
  customer_id text,
  customer_email text,
  customer_email_key text generated always as (lower(customer_email)) stored,
  customer_name text,
  billing_address jsonb,
  card_brand card_brand,
  card_last4 text,
  card_exp_month smallint,
  card_exp_year smallint,
  card_bin text,
  avs_result text,
  cvv_result text,
  fraud_score smallint,
  fraud_reasons text[],
  decline_code text,
  subscription_id uuid,
  plan_id uuid,
  client_session_id uuid,
  refund_of uuid,
  refund_reason text,
  refund_comment text,
  void_reason text,
  settlement_batch_id uuid,
  reversal_batch_id uuid,
  description text,
  metadata jsonb not null,
  event_sequence integer not null default 0,
  authorized_at timestamptz(3),
  captured_at timestamptz(3),
  settled_at timestamptz(3),
  voided_at timestamptz(3),
  refunded_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint transactions_amount_positive check (amount > 0),
  constraint transactions_reversal check (
    reversal_batch_id is null or (type = 'REFUND' and status = 'FAILED' and settled_at is not null)),
  constraint transactions_refund_of check ((type = 'REFUND') = (refund_of is not null))
);

create table operations (
  environment_id uuid not null,
  id uuid not null,
  payment_id uuid not null,
  transaction_id uuid not null,
  kind operation_kind not null,
  state operation_state not null,
  amount bigint not null,
  currency text not null,
  detail text,
  idempotency_key text,
  actor jsonb not null,
  request_id uuid,
  epoch integer not null default 1,
  lease_until timestamptz(3) not null,
  send_until timestamptz(3) not null,
  may_resend boolean not null default true,
  unknown_at timestamptz(3),
  accepted_at timestamptz(3),
  captured boolean not null default false,
  next_attempt_at timestamptz(3) not null,
  attempts integer not null default 1,
  fee_basis_points smallint,
  payment_token_id uuid,
  last_answer text,
  created_at timestamptz(3) not null default now(),
  completed_at timestamptz(3),
  constraint operations_amount check (amount > 0)
);

create table idempotency_keys (
  environment_id uuid not null,
  key text not null,
  operation_name text not null,
  path text not null,
  request_digest bytea not null,
  request_body jsonb,
  request_id uuid not null,
  actor jsonb not null,
  operation_id uuid,
  state text not null,
  locked_until timestamptz(3) not null,
  status_code smallint,
  response_body text,
  response_sealed boolean not null default false,
  replay_count integer not null default 0,
  last_replayed_at timestamptz(3),
  reuse_count integer not null default 0,
  last_reuse jsonb,
  created_at timestamptz(3) not null default now(),
  completed_at timestamptz(3),
  constraint idempotency_keys_done check ((state = 'done') = (response_body is not null))
) with (fillfactor = 40);

create table processor_objects (
  environment_id uuid not null,
  processor text not null,
  object_id text not null,
  kind text not null,
  operation_id uuid not null,
  payment_id uuid not null,
  created_at timestamptz(3) not null default now(),
  constraint processor_objects_environment_id_processor_object_id_pk primary key (environment_id, processor, object_id)
);

create table ledger_entries (
  environment_id uuid not null,
  operation_id uuid not null,
  line smallint not null,
  payment_id uuid,
  debit_account ledger_account not null,
  credit_account ledger_account not null,
  amount bigint not null,
  currency text not null,
  created_at timestamptz(3) not null default now(),
  constraint ledger_entries_environment_id_operation_id_line_pk primary key (environment_id, operation_id, line),
  constraint ledger_entries_two_sides check (debit_account <> credit_account),
  constraint ledger_entries_amount check (amount > 0)
);

create table settlement_batches (
  environment_id uuid not null,
  id uuid not null,
  currency text not null,
  charge_count bigint not null,
  charge_amount bigint not null,
  refund_count bigint not null,
  refund_amount bigint not null,
  reversal_count bigint not null,
  reversal_amount bigint not null,
  payout_id uuid,
  payout_failed boolean not null default false,
  created_at timestamptz(3) not null default now(),
  constraint settlement_batches_environment_id_id_pk primary key (environment_id, id),
  constraint settlement_batches_amounts check (
    charge_amount >= 0 and refund_amount >= 0 and reversal_amount >= 0)
);

create table bank_accounts (
  environment_id uuid not null,
  holder text not null,
  bank_name text not null,
  country text not null,
  last4 text not null,
  updated_at timestamptz(3) not null,
  constraint bank_accounts_environment_id_pk primary key (environment_id),
  constraint bank_accounts_last4 check (last4 ~ '^[0-9A-Z]{4}$')
);

create table payouts (
  environment_id uuid not null,
  id uuid not null,
  status payout_status not null,
  currency text not null,
  amount bigint not null,
  settlement_batch_ids uuid[] not null,
  bank_name text not null,
  bank_country text not null,
  bank_last4 text not null,
  arrival_date date not null,
  failure_reason text,
  due_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint payouts_environment_id_id_pk primary key (environment_id, id),
  constraint payouts_amount check (amount > 0),
  constraint payouts_reason check ((status = 'FAILED') = (failure_reason is not null))
);

create table disputes (
  environment_id uuid not null,
  id uuid not null,
  payment_id uuid not null,
  processor text not null,
  processor_dispute_id text not null,
  customer uuid,
  amount bigint not null,
  currency text not null,
  reason text not null,
  status dispute_status not null,
  respond_before timestamptz(3),
  read_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint disputes_environment_id_id_pk primary key (environment_id, id),
  constraint disputes_amount check (amount >= 0)
);

--> statement-breakpoint

-- Events and webhooks

create table events (
  environment_id uuid not null,
  id uuid not null,
  type text not null,
  operation_id uuid,
  object_id uuid not null,
  sequence integer not null,
  data json not null,
  created_at timestamptz(3) not null default now(),
  xid xid8 not null default pg_current_xact_id(),
  constraint events_environment_id_id_pk primary key (environment_id, id)
);

create table webhook_endpoints (
  environment_id uuid not null,
  id uuid not null,
  url text not null,
  description text,
  event_types text[] not null,
  payload webhook_payload not null,
  signature webhook_signature not null,
  status webhook_endpoint_status not null,
  disabled_reason webhook_disabled_reason,
  failing_since timestamptz(3),
  hindered_at timestamptz(3),
  last_notice webhook_notice,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint webhook_endpoints_environment_id_id_pk primary key (environment_id, id)
);

create table webhook_secrets (
  environment_id uuid not null,
  endpoint_id uuid not null,
  id uuid not null,
  sealed text not null,
  public_key text not null,
  expires_at timestamptz(3),
  constraint webhook_secrets_environment_id_endpoint_id_id_pk primary key (environment_id, endpoint_id, id)
);

create table webhook_deliveries (
  environment_id uuid not null,
  id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  status webhook_delivery_status not null,
  attempts integer not null default 0,
  round_attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null,
  epoch integer not null default 0,
  delivered_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint webhook_deliveries_environment_id_id_pk primary key (environment_id, id)
);

create table webhook_attempts (
  environment_id uuid not null,
  delivery_id uuid not null,
  id uuid not null,
  url text not null,
  payload webhook_payload not null,
  request_headers json not null,
  status_code integer,
  response_body text,
  error text,
  duration_ms integer not null,
  created_at timestamptz(3) not null,
  constraint webhook_attempts_environment_id_delivery_id_id_pk primary key (environment_id, delivery_id, id)
);

--> statement-breakpoint

-- Audit

create table audit_log (
  environment_id uuid not null,
  id uuid not null,
  actor jsonb not null,
  action text not null,
  object_id uuid not null,
  request_id uuid,
  detail jsonb,
  created_at timestamptz(3) not null default now(),
  constraint audit_log_environment_id_id_pk primary key (environment_id, id)
);

create table support_audit_log (
  id uuid primary key,
  staff_id uuid not null,
  action text not null,
  merchant_id uuid,
  environment_id uuid,
  object_id text,
  detail jsonb,
  request_id uuid,
  created_at timestamptz(3) not null default now()
);

create table audit_pending (
  log text not null,
  environment_id uuid,
  row_id uuid not null,
  queued_at timestamptz(3) not null default now()
);

create table audit_links (
  chain_id uuid not null,
  seq bigint not null,
  log text not null,
  environment_id uuid,
  row_id uuid not null,
  hash bytea not null,
  mac text not null,
  seal_number bigint not null,
  chained_at timestamptz(3) not null default now(),
  constraint audit_links_chain_id_seq_pk primary key (chain_id, seq)
);

create table audit_seals (
  chain_id uuid not null,
  seq bigint not null,
  key_id text not null,
  day date not null,
  hash bytea not null,
  mac text not null,
  number bigint not null,
  previous_mac text not null,
  sealed_at timestamptz(3) not null default now(),
  constraint audit_seals_chain_id_seq_key_id_number_pk primary key (chain_id, seq, key_id, number)
);

--> statement-breakpoint

-- Customers, search and figures

create table customers (
  environment_id uuid not null,
  id uuid not null,
  customer_id text,
  email text,
  name text,
  words text not null,
  first_payment_at timestamptz(3) not null,
  last_payment_at timestamptz(3) not null,
  constraint customers_environment_id_id_pk primary key (environment_id, id)
);

create table customers_due (
  environment_id uuid not null,
  transaction_id uuid not null,
  constraint customers_due_environment_id_transaction_id_pk primary key (environment_id, transaction_id)
);

create table customer_words (
  environment_id uuid not null,
  word text collate "C" not null,
  customer uuid not null,
  constraint customer_words_environment_id_word_customer_pk primary key (environment_id, word, customer)
);

create table transaction_words (
  environment_id uuid not null,
  day integer not null,
  word text collate "C" not null,
  transaction_id uuid not null,
  constraint transaction_words_environment_id_day_word_transaction_id_pk primary key (environment_id, day, word, transaction_id)
);

create table transaction_texts (
  environment_id uuid not null,
  transaction_id uuid not null,
  words text collate "C" not null,
  constraint transaction_texts_environment_id_transaction_id_pk primary key (environment_id, transaction_id)
);

create table total_deltas (
  id bigserial not null,
  environment_id uuid not null,
  currency text not null,
  measure text not null,
  amount bigint not null,
  count integer not null,
  occurred_at timestamptz(3) not null default now()
);

create table daily_totals (
  environment_id uuid not null,
  currency text not null,
  day date not null,
  measure text not null,
  amount numeric(40) not null,
  count bigint not null,
  constraint daily_totals_environment_id_currency_day_measure_pk primary key (environment_id, currency, day, measure)
);

--> statement-breakpoint

-- Receipts

create table receipts (
  environment_id uuid not null,
  payment_id uuid not null,
  token text not null,
  created_at timestamptz(3) not null,
  constraint receipts_environment_id_payment_id_pk primary key (environment_id, payment_id)
);

create table receipt_settings (
  environment_id uuid not null,
  captured_since xid8,
  refunded_since xid8,
  read_xid xid8 not null,
  read_id uuid not null,
  constraint receipt_settings_environment_id_pk primary key (environment_id)
);

create table receipt_mails (
  environment_id uuid not null,
  id uuid not null,
  payment_id uuid not null,
  transaction_id uuid not null,
  cause receipt_cause not null,
  created_at timestamptz(3) not null,
  constraint receipt_mails_environment_id_id_pk primary key (environment_id, id)
);

--> statement-breakpoint

-- Processors

create table processor_connections (
  environment_id uuid not null,
  id uuid not null,
  processor text not null,
  account_id text not null,
  account text not null,
  label text not null,
  status connection_status not null,
  credentials text,
  hint text not null,
  takes_webhooks boolean not null,
  raw_cards boolean not null,
  metadata_keys text[] not null default '{}',
  is_default boolean not null,
  revision integer not null default 1,
  checked_at timestamptz(3) not null,
  check_problem text,
  reports_place text,
  reports_read_at timestamptz(3),
  reports_held_since timestamptz(3),
  last_webhook_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint processor_connections_environment_id_id_pk primary key (environment_id, id),
  constraint processor_connections_id unique (id),
  constraint processor_connections_account unique (environment_id, processor, account_id),
  constraint processor_connections_connected check (
    (status = 'CONNECTED') = (credentials is not null)
    and (status = 'CONNECTED' or not is_default))
);

create table processor_routes (
  environment_id uuid not null,
  position smallint not null,
  currency text,
  brand card_brand,
  connection_id uuid not null,
  constraint processor_routes_environment_id_position_pk primary key (environment_id, position)
);

create table operator_connections (
  id uuid primary key,
  processor text not null,
  account text not null,
  credentials_digest text not null,
  checked_at timestamptz(3) not null,
  reports_place text,
  reports_read_at timestamptz(3),
  reports_held_since timestamptz(3),
  last_webhook_at timestamptz(3)
);

create table processor_journal (
  connection text not null,
  subject text not null,
  name text not null,
  fact text not null,
  created_at timestamptz(3) not null default now(),
  constraint processor_journal_connection_subject_name_pk primary key (connection, subject, name)
);

create table reconciliation_runs (
  environment_id uuid,
  id uuid primary key,
  connection_id uuid not null,
  night date,
  requested_at timestamptz(3),
  state reconciliation_state not null,
  since timestamptz(3) not null,
  until timestamptz(3) not null,
  payments integer not null default 0,
  refunds integer not null default 0,
  under_way integer not null default 0,
  difference_count integer not null default 0,
  differences jsonb not null default '[]'::jsonb,
  standing_at timestamptz(3)[] not null default '{}',
  standing integer not null default 0,
  standing_in_all integer not null default 0,
  unchecked jsonb not null default '[]'::jsonb,
  failure text,
  started_at timestamptz(3) not null,
  finished_at timestamptz(3),
  constraint reconciliation_runs_finished check ((state in ('requested', 'running')) = (finished_at is null))
);

--> statement-breakpoint

-- The request log and the service

create table request_log (
  environment_id uuid not null,
  id uuid not null,
  actor jsonb not null,
  operation text not null,
  method text not null,
  path text not null,
  query text,
  status smallint not null,
  code text,
  detail text,
  param text,
  duration_ms integer not null,
  idempotency_key text,
  replayed boolean not null default false,
  request_body text,
  request_kept kept_body,
  response_body text,
  response_kept kept_body,
  address text,
  user_agent text,
  object_id text,
  left_out integer not null default 0,
  created_at timestamptz(3) not null default now(),
  constraint request_log_environment_id_id_pk primary key (environment_id, id)
) partition by range (id);

create table service_settings (
  key text primary key,
  value text not null
);

--> statement-breakpoint

-- The simulated processor

create table sandbox_processor.charges (
  reference uuid primary key,
  account uuid not null,
  behaviour text not null,
  outcome sandbox_charge_outcome not null,
  decline_code text,
  amount bigint not null,
  currency text not null,
  capture_at_once boolean not null,
  amount_captured bigint not null default 0,
  amount_refunded bigint not null default 0,
  voided boolean not null default false,
  avs_result text not null,
  cvv_result text not null,
  card_attempts smallint not null,
  email_attempts smallint not null,
  address_attempts smallint not null,
  average_amount bigint,
  created_at timestamptz(3) not null default now(),
  constraint sandbox_charges_declined check ((outcome = 'declined') = (decline_code is not null)),
  constraint sandbox_charges_amount check (amount > 0),
  constraint sandbox_charges_captured check (amount_captured between 0 and amount),
  constraint sandbox_charges_refunded check (amount_refunded between 0 and amount_captured),
  constraint sandbox_charges_voided check (not voided or amount_captured = 0),
  constraint sandbox_charges_unapproved check (outcome = 'approved' or (amount_captured = 0 and not voided))
);

create table sandbox_processor.operations (
  reference uuid primary key,
  account uuid not null,
  kind sandbox_operation_kind not null,
  charge uuid not null,
  amount bigint not null,
  currency text not null,
  outcome sandbox_operation_outcome not null,
  decline_code text,
  created_at timestamptz(3) not null default now(),
  constraint sandbox_operations_amount check (amount > 0)
);

create table sandbox_processor.refusals (
  reference uuid primary key,
  account uuid not null,
  created_at timestamptz(3) not null default now()
);

create table sandbox_processor.reports (
  reference uuid primary key,
  account uuid not null,
  due_at timestamptz(3) not null,
  applied_at timestamptz(3),
  acknowledged_at timestamptz(3),
  constraint sandbox_reports_order check (acknowledged_at is null or applied_at is not null)
);

create unlogged table sandbox_processor.recent_attempts (
  digest uuid not null,
  created_at timestamptz(3) not null default now()
);

--> statement-breakpoint

-- Indexes
-- Among indexes of equal cost, as on an empty table, the planner picks the one created last, and the plan is
-- cached. On payment tables this must be the primary key, which is therefore created last.

create index environments_to_empty on environments (abandoned_at)
  where abandoned_at is not null and emptied_at is null;
create index users_merchant on users (merchant_id);
create unique index users_email_owner on users (lower(email)) where owns_email;
create index users_email on users (lower(email));
create index users_unproved on users (created_at) where not owns_email;
create index user_sessions_user on user_sessions (user_id);
create unique index user_tokens_token on user_tokens (token_sha256);
create index user_tokens_user on user_tokens (user_id);
create unique index saved_views_name on saved_views (environment_id, user_id, lower(name));
create index merchant_logos_sha256 on merchant_logos (sha256);
create index mail_outbox_due on mail_outbox (next_attempt_at) where sent_at is null;
create index mail_outbox_recipient on mail_outbox (lower(recipient), created_at) where kind <> 'notice';
create index api_keys_list on api_keys (environment_id, created_at);

create index client_sessions_status on client_sessions (environment_id, status, id);
create index client_sessions_payment_link on client_sessions (environment_id, payment_link_id, status, id)
  where payment_link_id is not null;
create index client_sessions_unpaid on client_sessions (expires_at)
  where payment_link_id is not null and status <> 'COMPLETED';
create index client_sessions_expiring on client_sessions (environment_id, expires_at)
  where tells_expiry and status = 'OPEN' and payment_link_id is null;
create index payment_tokens_held on payment_tokens (expires_at) where processor_token <> '';
create index payment_tokens_age on payment_tokens (expires_at);
create index payments_status on payments (environment_id, status, id);
create index payments_customer on payments (environment_id, customer_id, id) where customer_id is not null;
create index payments_expiring on payments (environment_id, capture_before) where status = 'AUTHORIZED';
create index payments_waiting on payments (environment_id, updated_at) where status = 'REQUIRES_ACTION';
create index payments_connection on payments (environment_id, connection_id, id)
  where connection_id is not null;
create index payments_capture_reversed on payments (environment_id, capture_reversed_at) where capture_reversed_at is not null;
create index transactions_status on transactions (environment_id, status, id, card_brand, amount);
create index transactions_brand on transactions (environment_id, card_brand, status, id, amount);
create index transactions_customer on transactions (environment_id, customer_id, id)
  where customer_id is not null;
create index transactions_subscription on transactions (environment_id, subscription_id, id)
  where subscription_id is not null;
create index transactions_last4 on transactions (environment_id, card_last4, id);
create index transactions_unsettled on transactions (environment_id, currency, id)
  where settled_at is null and captured_at is not null and status <> 'FAILED';
create index transactions_unsettled_reversals on transactions (environment_id, currency, id)
  where type = 'REFUND' and status = 'FAILED' and settled_at is not null and reversal_batch_id is null;
create index transactions_batch on transactions (environment_id, settlement_batch_id)
  where settlement_batch_id is not null;
create index transactions_failed_refunds on transactions (environment_id, updated_at)
  where type = 'REFUND' and status = 'FAILED';
create index transactions_email on transactions (environment_id, customer_email_key, id)
  where customer_email_key is not null;
create index transactions_refunds on transactions (environment_id, payment_id, id) where type = 'REFUND';
create index transactions_client_session on transactions (environment_id, client_session_id, id)
  where client_session_id is not null and type = 'CHARGE';
create index transactions_plan on transactions (environment_id, plan_id, id) where plan_id is not null;
create index transactions_decline on transactions (environment_id, decline_code, id)
  where decline_code is not null;
create index transactions_captured on transactions (environment_id, captured_at, id)
  where captured_at is not null;
create index transactions_amount on transactions (environment_id, currency, amount, id, status, card_brand);
create index transactions_reversal_batch on transactions (environment_id, reversal_batch_id)
  where reversal_batch_id is not null;
create index operations_payment on operations (environment_id, payment_id);
create index operations_open on operations (environment_id, next_attempt_at, created_at) where state = 'open';
create index operations_late_approvals on operations (environment_id, payment_id)
  where kind = 'void' and detail = 'approved after the payment had ended' and state <> 'open';
create index idempotency_keys_recent on idempotency_keys (environment_id, created_at, key);
create index processor_objects_payment on processor_objects (environment_id, payment_id);
create unique index processor_objects_id on processor_objects (processor, object_id);
create index ledger_entries_movements on ledger_entries
  (environment_id, currency, debit_account, credit_account, line, created_at, operation_id);
create index settlement_batches_available on settlement_batches (environment_id, currency, id)
  where payout_id is null;
create index settlement_batches_currency on settlement_batches (environment_id, currency, id);
create index payouts_status on payouts (environment_id, status, id);
create index payouts_currency on payouts (environment_id, currency, id);
create index payouts_due on payouts (due_at) where status in ('PENDING', 'IN_TRANSIT');
create unique index disputes_processor on disputes (processor, processor_dispute_id);
create index disputes_payment on disputes (environment_id, payment_id);
create index disputes_customer on disputes (environment_id, customer) where customer is not null;

create unique index events_object on events (environment_id, object_id, sequence);
create index events_type on events (environment_id, type, id);
create index events_stream on events (environment_id, xid, id);
create index webhook_endpoints_enabled on webhook_endpoints (environment_id, id)
  where status = 'ENABLED' and deleted_at is null;
create unique index webhook_endpoints_url on webhook_endpoints (environment_id, md5(url))
  where deleted_at is null;
create unique index webhook_deliveries_event on webhook_deliveries (environment_id, endpoint_id, event_id);
create index webhook_deliveries_due on webhook_deliveries (environment_id, endpoint_id, next_attempt_at)
  where status = 'PENDING';
create index webhook_deliveries_log on webhook_deliveries (environment_id, endpoint_id, id);

create index audit_log_object on audit_log (environment_id, object_id);
create index audit_log_account on audit_log (environment_id, id)
  where action like 'api_key.%' or action like 'settings.%' or action like 'team.%';
create index support_audit_log_merchant on support_audit_log (merchant_id, id);
create index support_audit_log_staff on support_audit_log (staff_id, id);
create unique index audit_seals_number on audit_seals (number);

create index customers_latest on customers (environment_id, last_payment_at, id);
create index total_deltas_environment on total_deltas (environment_id);

create unique index receipts_token on receipts (token);
create index receipt_mails_payment on receipt_mails (environment_id, payment_id, created_at);
create unique index receipt_mails_each on receipt_mails (environment_id, transaction_id, cause)
  where cause <> 'requested';

create unique index processor_connections_default on processor_connections (environment_id) where is_default;
create index processor_connections_revisions on processor_connections (environment_id, revision);
create index processor_connections_unread on processor_connections (reports_read_at)
  where credentials is not null;
create index processor_journal_age on processor_journal (connection, name, created_at);
create index reconciliation_runs_connection on reconciliation_runs (connection_id, id);
create unique index reconciliation_runs_night on reconciliation_runs (connection_id, night)
  where night is not null;
create index reconciliation_runs_started on reconciliation_runs (started_at);
create unique index reconciliation_runs_requested on reconciliation_runs (connection_id)
  where state = 'requested';
create index reconciliation_runs_taken on reconciliation_runs (started_at)
  where state = 'running' and requested_at is not null;
create index reconciliation_runs_ended on reconciliation_runs (connection_id, finished_at)
  where state = 'done';
create index reconciliation_runs_until on reconciliation_runs (connection_id, until) where state = 'done';
create index reconciliation_runs_standing on reconciliation_runs (connection_id, standing) where standing > 0;
create index reconciliation_runs_requests on reconciliation_runs (connection_id, requested_at)
  where requested_at is not null;

create index request_log_errors on request_log (environment_id, id, code) where code is not null;
create index request_log_object on request_log (environment_id, object_id, id) where object_id is not null;
create index request_log_key on request_log (environment_id, idempotency_key, id)
  where idempotency_key is not null;
create index request_log_actor on request_log (environment_id,(actor ->> 'id'), id);
create index request_log_left_out on request_log (environment_id, id, left_out) where left_out > 0;

create index sandbox_charges_history on sandbox_processor.charges (account, currency, created_at)
  where outcome = 'approved';
create index sandbox_operations_charge on sandbox_processor.operations (charge);
create index sandbox_refusals_age on sandbox_processor.refusals (created_at);
create index sandbox_reports_age on sandbox_processor.reports (acknowledged_at)
  where acknowledged_at is not null;
create index sandbox_reports_open on sandbox_processor.reports (account, due_at)
  where acknowledged_at is null;
create index sandbox_recent_attempts_digest on sandbox_processor.recent_attempts (digest, created_at);

alter table payments add constraint payments_environment_id_id_pk primary key (environment_id, id);
alter table transactions add constraint transactions_environment_id_id_pk
  primary key (environment_id, id) include (status, card_brand, amount);
alter table operations add constraint operations_environment_id_id_pk primary key (environment_id, id);
alter table idempotency_keys add constraint idempotency_keys_environment_id_key_pk primary key (environment_id, key);
alter table client_sessions add constraint client_sessions_environment_id_id_pk primary key (environment_id, id);
alter table payment_tokens add constraint payment_tokens_environment_id_id_pk primary key (environment_id, id);
alter table plans add constraint plans_environment_id_id_pk primary key (environment_id, id);
--> statement-breakpoint

-- Foreign keys

alter table environments add constraint environments_merchant_id_merchants_id_fk
  foreign key (merchant_id) references merchants (id);
alter table users add constraint users_merchant_id_merchants_id_fk
  foreign key (merchant_id) references merchants (id);
alter table user_sessions add constraint user_sessions_user_id_users_id_fk
  foreign key (user_id) references users (id);
alter table user_tokens add constraint user_tokens_user_id_users_id_fk
  foreign key (user_id) references users (id);
alter table recovery_codes add constraint recovery_codes_user_id_users_id_fk
  foreign key (user_id) references users (id);
alter table refund_allowances add constraint refund_allowances_user_id_users_id_fk
  foreign key (user_id) references users (id) on delete cascade;
alter table saved_views add constraint saved_views_user_id_users_id_fk
  foreign key (user_id) references users (id);
alter table merchant_logos add constraint merchant_logos_merchant_id_merchants_id_fk
  foreign key (merchant_id) references merchants (id);
alter table api_keys add constraint api_keys_environment_id_environments_id_fk
  foreign key (environment_id) references environments (id);
alter table api_keys add constraint api_keys_rotated_from
  foreign key (environment_id, rotated_from) references api_keys (environment_id, id);
alter table plans add constraint plans_environment_id_environments_id_fk
  foreign key (environment_id) references environments (id);
alter table payment_links add constraint payment_links_environment_id_environments_id_fk
  foreign key (environment_id) references environments (id);
alter table payment_links add constraint payment_links_environment_id_plan_id_plans_environment_id_id_fk
  foreign key (environment_id, plan_id) references plans (environment_id, id);
alter table client_sessions add constraint client_sessions_environment_id_environments_id_fk
  foreign key (environment_id) references environments (id);
alter table client_sessions add constraint client_sessions_environment_id_plan_id_plans_environment_id_id_fk
  foreign key (environment_id, plan_id) references plans (environment_id, id);
alter table client_sessions add constraint client_sessions_environment_id_payment_id_payments_environment_id_id_fk
  foreign key (environment_id, payment_id) references payments (environment_id, id);
alter table client_sessions add constraint client_sessions_environment_id_open_payment_id_payments_environment_id_id_fk
  foreign key (environment_id, open_payment_id) references payments (environment_id, id);
alter table client_sessions add constraint client_sessions_environment_id_payment_link_id_payment_links_environment_id_id_fk
  foreign key (environment_id, payment_link_id) references payment_links (environment_id, id);
alter table payment_tokens add constraint payment_tokens_environment_id_environments_id_fk
  foreign key (environment_id) references environments (id);
alter table payment_tokens add constraint payment_tokens_environment_id_client_session_id_client_sessions_environment_id_id_fk
  foreign key (environment_id, client_session_id) references client_sessions (environment_id, id);
alter table support_audit_log add constraint support_audit_log_staff_id_users_id_fk
  foreign key (staff_id) references users (id);
alter table support_audit_log add constraint support_audit_log_merchant_id_merchants_id_fk
  foreign key (merchant_id) references merchants (id);
alter table processor_connections add constraint processor_connections_environment_id_environments_id_fk
  foreign key (environment_id) references environments (id);
alter table processor_routes add constraint processor_routes_environment_id_connection_id_processor_connections_environment_id_id_fk
  foreign key (environment_id, connection_id) references processor_connections (environment_id, id);
--> statement-breakpoint

-- Row times
-- created_at equals the time in the row's UUIDv7. A trigger, because a CHECK is parsed and evaluated in every
-- UPDATE of the row. PostgreSQL 18 has a function for the time.

-- plpgsql, because a SQL function would be inlined and planned again in every statement.
create function uuid_time(id uuid) returns timestamptz language plpgsql immutable strict parallel safe as $$
begin
  return timestamptz 'epoch' + (('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint) * interval '1 millisecond';
end $$;

create function refuse_created_at() returns trigger language plpgsql as $$
begin
  raise exception '%: created_at is not the time in the id', tg_table_name using errcode = 'check_violation', constraint = tg_name;
end $$;

do $$
declare
  name text;
  time_of text := case when current_setting('server_version_num')::int >= 180000 then 'uuid_extract_timestamp' else 'uuid_time' end;
begin
  foreach name in array array['client_sessions', 'payments', 'plans', 'transactions'] loop
    execute format('create trigger %1$I before insert or update of id, created_at on %2$I for each row
      when (new.created_at is distinct from %3$I(new.id)) execute function refuse_created_at()', name || '_created_with_id', name, time_of);
  end loop;
end $$;
--> statement-breakpoint

-- Statuses

-- Status changes are limited to those in lib/domain/payments/states.ts (a test compares every pair). The
-- lists are in functions, which PostgreSQL parses once per connection, unlike trigger conditions.
create function refuse_transition(old_status text, new_status text) returns void language plpgsql as $$
begin
  raise exception 'status cannot change from % to %', old_status, new_status using errcode = 'check_violation';
end $$;

create function check_payment_transition() returns trigger language plpgsql as $$
begin
  if (old.status || '>' || new.status) <> all (array[
    '>', 'PENDING>REQUIRES_ACTION', 'PENDING>AUTHORIZED', 'PENDING>CAPTURED', 'PENDING>DECLINED', 'PENDING>FAILED',
    'REQUIRES_ACTION>PENDING', 'AUTHORIZED>CAPTURED', 'AUTHORIZED>VOIDED', 'CAPTURED>SETTLED',
    'CAPTURED>PARTIALLY_REFUNDED', 'CAPTURED>REFUNDED', 'SETTLED>PARTIALLY_REFUNDED', 'SETTLED>REFUNDED',
    'PARTIALLY_REFUNDED>REFUNDED', 'PARTIALLY_REFUNDED>CAPTURED', 'PARTIALLY_REFUNDED>SETTLED',
    'REFUNDED>PARTIALLY_REFUNDED', 'REFUNDED>CAPTURED', 'REFUNDED>SETTLED'
  ]) then
    perform refuse_transition(old.status, new.status);
  end if;
  return new;
end $$;

create trigger payments_transition before update of status on payments for each row
when (old.status is distinct from new.status) execute function check_payment_transition();

create function check_transaction_transition() returns trigger language plpgsql as $$
begin
  if (old.type || ':' || old.status || '>' || new.status) <> all (array[
    ':', '>', 'CHARGE:PENDING>AUTHORIZED', 'CHARGE:PENDING>CAPTURED', 'CHARGE:PENDING>DECLINED',
    'CHARGE:PENDING>FAILED', 'CHARGE:AUTHORIZED>CAPTURED', 'CHARGE:AUTHORIZED>VOIDED', 'CHARGE:CAPTURED>SETTLED',
    'CHARGE:CAPTURED>PARTIALLY_REFUNDED', 'CHARGE:CAPTURED>REFUNDED', 'CHARGE:SETTLED>PARTIALLY_REFUNDED',
    'CHARGE:SETTLED>REFUNDED', 'CHARGE:PARTIALLY_REFUNDED>REFUNDED', 'CHARGE:PARTIALLY_REFUNDED>CAPTURED',
    'CHARGE:PARTIALLY_REFUNDED>SETTLED', 'CHARGE:REFUNDED>PARTIALLY_REFUNDED', 'CHARGE:REFUNDED>CAPTURED',
    'CHARGE:REFUNDED>SETTLED', 'REFUND:PENDING>CAPTURED', 'REFUND:PENDING>FAILED', 'REFUND:CAPTURED>SETTLED',
    'REFUND:CAPTURED>FAILED', 'REFUND:SETTLED>FAILED'
  ]) then
    perform refuse_transition(old.status, new.status);
  end if;
  return new;
end $$;

create trigger transactions_transition before update of status on transactions for each row
when (old.status is distinct from new.status) execute function check_transaction_transition();

create function check_payout_transition() returns trigger language plpgsql as $$
begin
  if (old.status || '>' || new.status) <> all (array['>', 'PENDING>IN_TRANSIT', 'IN_TRANSIT>PAID', 'IN_TRANSIT>FAILED']) then
    perform refuse_transition(old.status, new.status);
  end if;
  return new;
end $$;

create trigger payouts_transition before update of status on payouts for each row
when (old.status is distinct from new.status) execute function check_payout_transition();

create function refuse_reopening() returns trigger language plpgsql as $$
begin
  raise exception 'an operation that has ended stays so, at the rate that its fee was taken at' using errcode = 'check_violation';
end $$;

create trigger operations_stay_ended before update of state, fee_basis_points on operations for each row
when (old.state <> 'open' and (new.state = 'open' or new.fee_basis_points is distinct from old.fee_basis_points))
execute function refuse_reopening();

-- A payment keeps its connection: no other processor account has it.
create function payments_stay_at_connection() returns trigger
language plpgsql as $$
begin
  raise exception 'payment % is at the connection % for ever', old.id, old.connection_id using errcode = 'check_violation';
end $$;

create trigger payments_connection before update of connection_id on payments for each row
when (old.connection_id is distinct from new.connection_id) execute function payments_stay_at_connection();

-- Makes the statement that writes an outcome (db/queries/payments/outcomes.ts) all or nothing.
create function require_written(operations bigint) returns void language plpgsql as $$
begin
  if operations <> 1 then
    raise exception 'the payment or its operation has changed' using errcode = 'CL001';
  end if;
end $$;
--> statement-breakpoint

-- Append-only logs and books

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'check_violation';
end $$;

create trigger audit_log_append_only before update or delete on audit_log for each row execute function refuse_change();
create trigger audit_log_never_emptied before truncate on audit_log for each statement execute function refuse_change();
create trigger support_audit_log_append_only before update or delete on support_audit_log for each row execute function refuse_change();
create trigger support_audit_log_never_emptied before truncate on support_audit_log for each statement execute function refuse_change();
create trigger audit_links_append_only before update or delete on audit_links for each row execute function refuse_change();
create trigger audit_links_never_emptied before truncate on audit_links for each statement execute function refuse_change();
create trigger audit_seals_append_only before update or delete on audit_seals for each row execute function refuse_change();
create trigger audit_seals_never_emptied before truncate on audit_seals for each statement execute function refuse_change();
revoke update, delete, truncate on audit_log, support_audit_log, audit_links, audit_seals from public, current_user;

-- The ledger is append-only and an intent is never deleted, except in an abandoned environment.
create function refuse_change_of_books() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op = 'DELETE' and exists (
    select from environments where id = old.environment_id and mode = 'test' and abandoned_at is not null) then
    return old;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'check_violation';
end $$;

create trigger ledger_entries_append_only before update or delete on ledger_entries for each row
execute function refuse_change_of_books();
create trigger operations_never_deleted before delete on operations for each row execute function refuse_change_of_books();

-- Security definer, so that inserting an audit row queues it without a grant on the queue.
create function queue_audit_row() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into audit_pending (log, environment_id, row_id) values (tg_argv[0], new.environment_id, new.id);
  return null;
end $$;

create trigger audit_log_queue after insert on audit_log for each row execute function queue_audit_row('merchant');
create trigger support_audit_log_queue after insert on support_audit_log for each row execute function queue_audit_row('support');

-- Audits every change of a fee rate, including an operator's manual UPDATE.
create function record_fee_change() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  ms text := lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0');
begin
  insert into audit_log (environment_id, id, actor, action, object_id, detail)
  values (new.id, (left(ms, 8) || '-' || right(ms, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid,
    '{"type":"system","id":null}', 'settings.fee_changed', new.merchant_id, jsonb_build_object('changes',
      jsonb_build_object('fee_basis_points', jsonb_build_array(old.fee_basis_points::text, new.fee_basis_points::text))));
  return null;
end $$;

create trigger environments_fee_recorded after update of fee_basis_points on environments for each row
when (old.fee_basis_points <> new.fee_basis_points) execute function record_fee_change();

-- Support staff can see every merchant's data: no code path may open a session of theirs without a second
-- factor.
create function require_second_factor_of_staff() returns trigger language plpgsql as $$
begin
  if new.mfa_at is null and exists (select from users where id = new.user_id and role = 'staff') then
    raise exception 'a session of support staff needs a second factor' using errcode = 'check_violation';
  end if;
  return new;
end $$;

create trigger user_sessions_staff before insert or update of mfa_at, user_id on user_sessions for each row
execute function require_second_factor_of_staff();
--> statement-breakpoint

-- Abandoned environments

-- Test data of an account without a verified e-mail address is removed as a whole. An environment may be
-- marked only if its account still has users, all over 30 days old and none with a verified address, and the
-- live environment has no payments and no API keys.
create function check_environment() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    if new.abandoned_at is not null then
      raise exception 'no environment is abandoned from the start' using errcode = 'check_violation';
    end if;
    return new;
  end if;
  if (new.mode, new.merchant_id) is distinct from (old.mode, old.merchant_id) then
    raise exception 'an environment keeps its mode and its merchant' using errcode = 'check_violation';
  end if;
  if new.abandoned_at is not distinct from old.abandoned_at then
    return new;
  end if;
  if old.abandoned_at is not null or new.mode <> 'test'
    or not exists (select from users where merchant_id = new.merchant_id)
    or exists (select from users where merchant_id = new.merchant_id
      and (owns_email or email_verified_at is not null or created_at > now() - interval '30 days'))
    or exists (select from environments e join payments p on p.environment_id = e.id
      where e.merchant_id = new.merchant_id and e.mode = 'live')
    or exists (select from environments e join api_keys k on k.environment_id = e.id
      where e.merchant_id = new.merchant_id and e.mode = 'live') then
    raise exception 'environment % is not abandoned', new.id using errcode = 'check_violation';
  end if;
  return new;
end $$;

create trigger environments_abandoned before insert or update of mode, merchant_id, abandoned_at on environments
for each row execute function check_environment();

-- The only way to delete test data; no role of the service may do so directly. Deletes up to `most` rows of
-- an abandoned environment, referring tables first, and returns how many; 0 when none is left. The audit log
-- stays. The row lock serializes calls: a table comes up only when those that refer to it are empty.
create function remove_abandoned(environment uuid, most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  name text;
  removed integer;
begin
  perform from environments where id = environment and mode = 'test' and abandoned_at is not null for no key update;
  if not found then
    raise exception 'environment % is not abandoned', environment using errcode = 'check_violation';
  end if;
  -- Including what the simulated processor has of each operation.
  with gone as (
    delete from operations where ctid = any(array(
      select ctid from operations where environment_id = environment limit most))
    returning id
  ), reports as (delete from sandbox_processor.reports where reference in (select id from gone)),
  charges as (delete from sandbox_processor.charges where reference in (select id from gone)),
  others as (delete from sandbox_processor.operations where reference in (select id from gone))
  select count(*) into removed from gone;
  if removed > 0 then
    return removed;
  end if;
  -- By key: rows of different partitions can have the same ctid.
  delete from request_log where environment_id = environment
    and id = any(array(select id from request_log where environment_id = environment limit most));
  get diagnostics removed = row_count;
  if removed > 0 then
    return removed;
  end if;
  -- In one statement, as keys refer to those that they replace.
  delete from api_keys where environment_id = environment;
  foreach name in array array['receipt_mails', 'receipts', 'receipt_settings', 'payouts', 'bank_accounts', 'webhook_attempts',
    'webhook_deliveries', 'webhook_secrets', 'webhook_endpoints', 'reconciliation_runs', 'disputes', 'processor_objects',
    'idempotency_keys', 'total_deltas', 'daily_totals', 'ledger_entries', 'events', 'settlement_batches', 'customers_due',
    'customer_words', 'customers', 'transaction_words', 'transaction_texts', 'transactions', 'payment_tokens',
    'client_sessions', 'payment_links', 'payments', 'plans', 'processor_routes', 'processor_connections'] loop
    execute format('delete from %1$I where ctid = any(array(select ctid from %1$I where environment_id = $1 limit $2))', name)
      using environment, most;
    get diagnostics removed = row_count;
    if removed > 0 then
      return removed;
    end if;
  end loop;
  return 0;
end $$;
--> statement-breakpoint

-- Figures
-- Triggers record changes in total_deltas, in the same commit, so that no writer can forget them. A job folds
-- the deltas into daily_totals (db/queries/reporting/daily-totals.ts).

-- The measure that a ledger line adds to, or null. The balance is also read from daily_totals.
create function ledger_measure(debit text, credit text, line smallint) returns text language sql immutable parallel safe as $$
  select case
    when debit = 'processor_receivable' and credit = 'merchant_payable' then case line when 1 then 'captured' else 'refund_failed' end
    when debit = 'merchant_payable' and credit = 'processor_receivable' then 'refunded'
    when debit = 'merchant_payable' and credit = 'fees' then 'fee'
    when debit = 'merchant_payable' and credit = 'merchant_available' then 'settled'
    when debit = 'merchant_available' and credit = 'merchant_payable' then 'settled_back'
    when debit = 'merchant_available' and credit = 'merchant_in_payout' then 'payout'
    when debit = 'merchant_in_payout' and credit = 'merchant_available' then 'payout_failed'
    when debit = 'merchant_in_payout' and credit = 'bank' then 'payout_paid'
  end
$$;

-- The outcome of a charge attempt; null while it is pending.
create function charge_measure(status text) returns text language sql immutable parallel safe as $$
  select case status when 'PENDING' then null when 'DECLINED' then 'declined' when 'FAILED' then 'failed' else 'approved' end
$$;

-- Per statement, because a capture writes two lines and a batch many.
create function add_ledger_deltas() returns trigger language plpgsql as $$
begin
  insert into total_deltas (environment_id, currency, measure, amount, count, occurred_at)
  select environment_id, currency, ledger_measure(debit_account, credit_account, line), amount, 1, created_at
  from written
  where ledger_measure(debit_account, credit_account, line) is not null;
  return null;
end $$;

create trigger ledger_entries_deltas after insert on ledger_entries referencing new table as written
for each statement execute function add_ledger_deltas();

-- Attempts count at their creation time, as in lists by creation time.
create function add_charge_delta() returns trigger language plpgsql as $$
begin
  insert into total_deltas (environment_id, currency, measure, amount, count, occurred_at)
  values (new.environment_id, new.currency, charge_measure(new.status), new.amount, 1, new.created_at);
  if new.status = 'DECLINED' then
    insert into total_deltas (environment_id, currency, measure, amount, count, occurred_at)
    values (new.environment_id, new.currency, 'declined:' || coalesce(new.decline_code, 'generic_decline'), new.amount, 1, new.created_at);
  end if;
  return null;
end $$;

create trigger transactions_delta after update of status on transactions for each row
when (old.status = 'PENDING' and new.status <> 'PENDING' and new.type = 'CHARGE') execute function add_charge_delta();
create trigger transactions_delta_made after insert on transactions for each row
when (new.status <> 'PENDING' and new.type = 'CHARGE') execute function add_charge_delta();

-- Source of truth for the figures, which are rebuilt from it and checked against it.
create view measured_facts with (security_invoker = true) as
  select environment_id, currency, ledger_measure(debit_account, credit_account, line) as measure, amount, created_at as occurred_at
  from ledger_entries
  where ledger_measure(debit_account, credit_account, line) is not null
  union all
  select environment_id, currency, charge_measure(status), amount, created_at
  from transactions
  where type = 'CHARGE' and status <> 'PENDING'
  union all
  select environment_id, currency, 'declined:' || coalesce(decline_code, 'generic_decline'), amount, created_at
  from transactions
  where type = 'CHARGE' and status = 'DECLINED';
--> statement-breakpoint

-- Webhooks

-- A new UUIDv7 with an event's time, so that deliveries sort like their events. PostgreSQL 18 has a function
-- for it.
create function webhook_delivery_id(event uuid) returns uuid language sql volatile parallel safe as $$
  select (left(event::text, 15) || substr(gen_random_uuid()::text, 16))::uuid
$$;

-- Creates an event's deliveries in its commit: no writer of events can forget them or needs a grant on them.
-- Most environments have no endpoint and pay for one index lookup.
create function deliver_events() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (
    select from made n join webhook_endpoints e on e.environment_id = n.environment_id and e.status = 'ENABLED' and e.deleted_at is null
  ) then
    insert into webhook_deliveries
      (environment_id, id, endpoint_id, event_id, event_type, status, next_attempt_at, created_at, updated_at)
    select n.environment_id, webhook_delivery_id(n.id), e.id, n.id, n.type, 'PENDING', n.created_at, n.created_at, n.created_at
    from made n
    join webhook_endpoints e on e.environment_id = n.environment_id and e.status = 'ENABLED' and e.deleted_at is null
      and (e.event_types = '{*}' or n.type = any(e.event_types))
    -- The caller that requests a test makes its delivery, to one endpoint.
    where n.type <> 'webhook_endpoint.test'
    on conflict (environment_id, endpoint_id, event_id) do nothing;
  end if;
  return null;
end $$;

create trigger events_delivered after insert on events referencing new table as made
for each statement execute function deliver_events();
--> statement-breakpoint

-- Search terms and customers

-- The normalized form in which terms are stored and searched: lower case, no accents, no invisible signs, one
-- hyphen, one apostrophe, hiragana for both kana. Independent of the collation, so that an index is valid on
-- every server: non-ASCII capitals are listed (Latin, Greek, Cyrillic, Armenian). NFKD may expand a character
-- to 18; 4 are kept. NFC makes syllables of Hangul and kana whole again. Cost grows with length: truncate first.
create function searchable(value text) returns text language sql immutable parallel safe as $$
  select case when octet_length(value) = length(value) then lower(value collate "C")
    else normalize(replace(replace(replace(translate(lower(regexp_replace(left(normalize(translate(value,
      U&'\2018\2019\201A\201B\02B9\02BB\02BC\02BD\02BE\02BF\02C8\00B4\2032\2035\FF07\055A\05F3\A78C\058A\05BE\2010\2011\2012\2013\2014\2015\2212\2E3A\2E3B\30A0\30FB\FE58\FE63\FF0D\FF65',
      repeat('''', 18) || repeat('-', 17)), NFKD), 4 * length(value)) collate "C",
      '[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+', '', 'g')),
      'øłđħıŧØŁĐĦŦÆŒÞÐŊƏẞςΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐҒҖҚҢҮҰҲҶҺӘӨԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖァアィイゥウェエォオカキクケコサシスセソタチッツテトナニヌネノハヒフヘホマミムメモャヤュユョヨラリルレロヮワヰヱヲンヵヶ',
      'oldhitoldhtæœþðŋəßσαβγδεζηθικλμνξοπρστυφχψωабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґғҗқңүұҳҷһәөաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆぁあぃいぅうぇえぉおかきくけこさしすせそたちっつてとなにぬねのはひふへほまみむめもゃやゅゆょよらりるれろゎわゐゑをんゕゖ'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), NFC) end
$$;

-- The spellings of a text: `muller` and `mueller` of Müller.
create function spellings(value text) returns text[] language sql immutable parallel safe as $$
  select case when octet_length(value) = length(value) or whole collate "C" !~ '[äöüåøÄÖÜÅØ]' then array[searchable(value)]
    else array[searchable(value), searchable(
      replace(replace(replace(replace(translate(whole, 'ÄÖÜÅØø', 'äöüåöö'), 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'å', 'aa'))] end
  from normalize(value, NFC) whole
$$;

-- An amount as printed, without trailing zeros: 1234.5, 20. Decimals per currency as in
-- lib/contract/currencies.
create function amount_word(amount bigint, currency text) returns text language sql immutable parallel safe as $$
  select trim_scale(amount / case
    when currency in ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') then 1
    when currency in ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') then 1000
    when currency in ('CLF', 'UYW') then 10000
    else 100 end::numeric)::text
$$;

-- Signs of scripts without spaces, each of which starts a term: Han, kana, Hangul, Thai. Expressions repeat it
-- as text, because a function would cost more than the match.
--   \u3005-\u3007\u3041-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff
--   \u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46

-- Each word start with the text up to the next space (`smith@ex` finds anna.smith@example.com), without hyphens
-- and apostrophes (`obrien`, and `brien`): max 200 of 48 characters, of scripts without spaces 12. Runs in a
-- payment's commit, so input is bounded: 4,000 characters, 200 per chunk (100 of scripts without spaces), 800
-- non-ASCII (slow), 400 word starts. Short ASCII takes a fast path, below these bounds.
create function search_words(texts text) returns text[] language plpgsql immutable parallel safe as $$
declare
  mark constant text := U&'\0001';
  words text[] := '{}';
  dear integer := 800;
  turns integer := 400;
  pieces text[];
  rest text := '';
  chunk text;
  spelling text;
  word text;
  start integer;
begin
  if length(texts) <= 200 and octet_length(texts) = length(texts) then
    pieces := string_to_array(translate(regexp_replace(
      lower(translate(texts, U&'\0001\0009\000A\000B\000C\000D', '      ') collate "C"), '([^\s!-/:-@\[-`{-~]+)', mark || '\1', 'g'),
      '''-`', ''), mark);
    for i in reverse cardinality(pieces)..2 loop
      rest := split_part(pieces[i] || rest, ' ', 1);
      words := left(rest, 48) || array_remove(words, left(rest, 48));
    end loop;
    return words;
  end if;
  texts := left(texts, 4000);
  -- Names of these scripts are written with a space or without.
  if octet_length(texts) > length(texts) then
    texts := regexp_replace(texts collate "C",
      '([\u0e01-\u0e4e\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff66-\uff9f])[ \u3000]+(?=[\u0e01-\u0e4e\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff66-\uff9f])', '\1', 'g');
  end if;
  foreach chunk in array string_to_array(translate(texts, U&'\0001\0009\000A\000B\000C\000D', '      '), ' ') loop
    continue when chunk = '';
    exit when turns <= 0 or cardinality(words) = 200;
    chunk := left(chunk, 200);
    if octet_length(chunk) > length(chunk) then
      chunk := left(chunk, least(dear, case when chunk collate "C" ~ '[\u0e01-\u0e4e\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff66-\uff9f]' then 100 else 200 end));
      dear := dear - length(chunk);
    end if;
    foreach spelling in array spellings(chunk) loop
      turns := turns - 1;
      chunk := translate(regexp_replace(left(spelling, 200) collate "C",
        '([\u3005-\u3007\u3041-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46]|[^\s!-/:-@\[-`{-~\u00a1-\u00a9\u00ab-\u00b1\u00b6-\u00b8\u00bb\u00bf\u0e01-\u0e4e\u2010-\u205e\u20a0-\u20cf\u3000-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]+)',
        mark || '\1', 'g'), '''-`', '');
      start := strpos(chunk, mark);
      while start > 0 and turns > 0 and cardinality(words) < 200 loop
        turns := turns - 1;
        chunk := substr(chunk, start + 1);
        word := split_part(replace(chunk, mark, ''), ' ', 1);
        word := left(word, case when ascii(word) between 3585 and 3662 or ascii(word) >= 12293 then 12 else 48 end);
        if not word = any(words) then
          words := words || word;
        end if;
        start := strpos(chunk, mark);
      end loop;
    end loop;
  end loop;
  return words;
end $$;

-- A transaction's search terms. Amounts and last four digits match only as a whole: their prefix (= or #)
-- starts no word. No other card data is included. Lines keep one text's end apart from the next one's start.
create function search_words_of(t transactions) returns text[] language plpgsql stable parallel safe as $$
declare
  texts text := concat_ws(E'\n', t.customer_name, t.customer_email, t.customer_id, t.description);
begin
  if t.metadata <> '{}' then
    texts := concat_ws(E'\n', texts, (select string_agg(value, E'\n') from jsonb_each_text(t.metadata)));
  end if;
  return search_words(texts) || ('=' || amount_word(t.amount, t.currency))
    || case when t.card_last4 is null then '{}' else array['#' || t.card_last4] end;
end $$;

-- A query's terms, max 8, normalized like the index, each in its spellings, with its whole-value matches: the
-- amounts that it can be (`1,500` is 1500 and 1.5) and last four digits. Punctuation around a term does not count.
create function asked_words(q text) returns table (starts text[], wholes text[]) language sql immutable parallel safe as $$
  select starts,
    array(
      select '=' || trim_scale(amount::numeric)::text
      from (
        select replace(word, ',', '') as amount where word ~ '^([0-9]{1,12}|[0-9]{1,3}(,[0-9]{3}){1,3})(\.[0-9]{1,4})?$'
        union select replace(replace(word, '.', ''), ',', '.') where word ~ '^([0-9]{1,12}|[0-9]{1,3}(\.[0-9]{3}){1,3}),[0-9]{1,4}$'
        union select replace(word, '.', '') where word ~ '^[0-9]{1,3}(\.[0-9]{3}){1,3}$') amounts
      union select '#' || word where word ~ '^[0-9]{4}$')
  from (
    select starts, starts[1] collate "C" as word, min(n) as n
    from (
      select n, array_agg(distinct word) filter (where word <> '') as starts
      from unnest(spellings(left(q, 200))) spelling
      cross join lateral regexp_split_to_table(translate(spelling, '''-`', '') collate "C", '[\s\u0001;]+|,(?![0-9])|(?<![0-9]),')
        with ordinality chunks (chunk, n)
      cross join lateral (select regexp_replace(chunk,
        '^[!-/:-@\[-`{-~\u00a1-\u00a9\u00ab-\u00b1\u00b6-\u00b8\u00bb\u00bf\u2010-\u205e\u20a0-\u20cf\u3000-\u3004\u3008-\u303f]+|[!-/:-@\[-`{-~\u00a1-\u00a9\u00ab-\u00b1\u00b6-\u00b8\u00bb\u00bf\u2010-\u205e\u20a0-\u20cf\u3000-\u3004\u3008-\u303f]+$',
        '', 'g') as whole) wholes
      cross join lateral (select left(whole, case when ascii(whole) between 3585 and 3662 or ascii(whole) >= 12293 then 12 else 48 end) as word) words
      group by n) spelled
    where starts is not null
    group by starts) asked
  order by n limit 8
$$;

-- A UUIDv7's UTC date, in days since 1970.
create function day_of(id uuid) returns integer language sql immutable parallel safe as $$
  select (('x' || left(id::text, 8) || substr(id::text, 10, 4))::bit(48)::bigint / 86400000)::integer
$$;

-- A customer's id, derived from the environment and the merchant's own customer id, else the e-mail address,
-- none of which changes. UUID version 8 is for custom schemes.
create function customer_uuid(environment uuid, customer_id text, email_key text) returns uuid language sql immutable parallel safe as $$
  select (substr(digest, 1, 12) || '8' || substr(digest, 14, 3) || '8' || substr(digest, 18, 15))::uuid
  from encode(sha256(convert_to(environment::text || coalesce(':id:' || customer_id, ':email:' || email_key), 'UTF8')), 'hex') digest
$$;

create function index_customer() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  new.words := ' ' || array_to_string(search_words(concat_ws(E'\n', new.name, new.email, new.customer_id)), ' ') || ' ';
  return new;
end $$;

create trigger customers_indexed before insert on customers for each row execute function index_customer();
-- Most payments of a known customer change only its last payment's time.
create trigger customers_indexed_again before update on customers for each row
when ((old.name, old.email, old.customer_id) is distinct from (new.name, new.email, new.customer_id)) execute function index_customer();

create function keep_customer_words() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    delete from customer_words
    where environment_id = old.environment_id and word = any(string_to_array(trim(old.words), ' ')) and customer = old.id;
  end if;
  insert into customer_words (environment_id, word, customer)
  select new.environment_id, word, new.id from unnest(string_to_array(trim(new.words), ' ')) word
  where word <> '' on conflict do nothing;
  return null;
end $$;

create trigger customers_inserted after insert on customers for each row execute function keep_customer_words();
create trigger customers_updated after update on customers for each row
when (old.words is distinct from new.words) execute function keep_customer_words();

-- Writes a transaction's terms in its commit: no writer can forget them or needs a grant on them. Also queues
-- charges for the job that maintains customers.
create function index_transactions() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  with found as materialized (select environment_id, id, search_words_of(made) as words from made),
  texts as (
    insert into transaction_texts (environment_id, transaction_id, words)
    select environment_id, id, ' ' || array_to_string(words, ' ') || ' ' from found)
  insert into transaction_words (environment_id, day, word, transaction_id)
  select environment_id, day_of(id), word, id from found, unnest(words) word;
  insert into customers_due (environment_id, transaction_id)
  select environment_id, id from made where type = 'CHARGE' and coalesce(customer_id, customer_email) is not null;
  return null;
end $$;

create trigger transactions_indexed after insert on transactions referencing new table as made
for each statement execute function index_transactions();
--> statement-breakpoint

-- Days of the request log

-- Default partition: catches requests dated by a wrong clock, or on a day whose partition the job could not
-- create in time.
create table request_log_days.others partition of request_log default;
alter table request_log_days.others enable row level security;

-- The lowest UUIDv7 of a UTC day.
create function first_id_of(day date) returns uuid language sql immutable strict parallel safe as $$
  select (lpad(to_hex((day - date '1970-01-01')::bigint * 86400000), 12, '0') || repeat('0', 20))::uuid
$$;

-- One step: creates the partition of today or one of the next three days, or drops one over 30 days old. A
-- new partition is filled and attached while the default one is locked, so that no row is missed. Returns
-- the count of partitions or rows handled.
create function keep_request_log() returns integer
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '1s' as $$
declare
  today date := (now() at time zone 'UTC')::date;
  day date;
  name text;
  removed integer;
begin
  if not pg_try_advisory_xact_lock(4846023524) then
    return 0;
  end if;
  for ahead in 0..3 loop
    day := today + ahead;
    name := 'd' || to_char(day, 'YYYYMMDD');
    if to_regclass('request_log_days.' || name) is null then
      lock table request_log_days.others in access exclusive mode;
      execute format('create table request_log_days.%I (like request_log including defaults including constraints including storage)', name);
      execute format('alter table request_log_days.%I enable row level security', name);
      execute format('with moved as (delete from request_log_days.others where id >= $1 and id < $2 returning *)
        insert into request_log_days.%I select * from moved', name) using first_id_of(day), first_id_of(day + 1);
      execute format('alter table request_log attach partition request_log_days.%I for values from (%L) to (%L)',
        name, first_id_of(day), first_id_of(day + 1));
      return 1;
    end if;
  end loop;
  select c.relname into name from pg_class c
    where c.relnamespace = 'request_log_days'::regnamespace and c.relkind = 'r' and c.relname ~ '^d[0-9]{8}$'
      and c.relname < 'd' || to_char(today - 30, 'YYYYMMDD')
    order by c.relname limit 1;
  if found then
    execute format('drop table request_log_days.%I', name);
    return 1;
  end if;
  delete from request_log_days.others where ctid = any(array(
    select ctid from request_log_days.others where id < first_id_of(today - 30) limit 5000));
  get diagnostics removed = row_count;
  return removed;
exception when lock_not_available or deadlock_detected then
  return 0;
end $$;
