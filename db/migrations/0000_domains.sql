-- What the tables are built on, and Drizzle cannot say.

-- The moment in a UUIDv7. plpgsql, because a function in SQL would be inlined, and planned anew, in every statement.
create function uuid_time(id uuid) returns timestamptz language plpgsql immutable strict parallel safe as $$
begin
  return timestamptz 'epoch' + (('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint) * interval '1 millisecond';
end $$;
--> statement-breakpoint

-- The contract's values (db/columns.ts, oneOf; a test compares them).
create domain api_key_status as text check (value in ('ACTIVE', 'DISABLED', 'REVOKED'));
--> statement-breakpoint
create domain card_brand as text check (value in ('visa', 'mastercard', 'amex', 'discover'));
--> statement-breakpoint
create domain ledger_account as text check (value in ('processor_receivable', 'merchant_payable', 'fees', 'bank', 'suspense'));
--> statement-breakpoint
create domain mode as text check (value in ('test', 'live'));
--> statement-breakpoint
create domain operation_kind as text check (value in ('authorize', 'continue', 'capture', 'void', 'refund'));
--> statement-breakpoint
create domain operation_state as text check (value in ('open', 'succeeded', 'declined', 'failed', 'action_required'));
--> statement-breakpoint
create domain payment_status as text check (value in ('PENDING', 'AUTHORIZED', 'CAPTURED', 'SETTLED', 'VOIDED', 'REFUNDED', 'PARTIALLY_REFUNDED', 'DECLINED', 'FAILED', 'REQUIRES_ACTION'));
--> statement-breakpoint
create domain plan_status as text check (value in ('DRAFT', 'ACTIVE', 'INACTIVE'));
--> statement-breakpoint
create domain plan_type as text check (value in ('ONE_TIME', 'SUBSCRIPTION_NO_TRIAL', 'SUBSCRIPTION_FREE_TRIAL', 'SUBSCRIPTION_PAID_TRIAL'));
--> statement-breakpoint
create domain sandbox_charge_outcome as text check (value in ('approved', 'declined', 'action_required'));
--> statement-breakpoint
create domain sandbox_operation_kind as text check (value in ('continue', 'capture', 'void', 'refund'));
--> statement-breakpoint
create domain sandbox_operation_outcome as text check (value in ('approved', 'declined', 'failed'));
--> statement-breakpoint
create domain transaction_status as text check (value in ('PENDING', 'AUTHORIZED', 'CAPTURED', 'SETTLED', 'VOIDED', 'REFUNDED', 'PARTIALLY_REFUNDED', 'DECLINED', 'FAILED'));
--> statement-breakpoint
create domain transaction_type as text check (value in ('CHARGE', 'REFUND'));

