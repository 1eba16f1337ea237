-- Whoever changes a rate, an operator by hand included: what is taken from then on has its reason in the audit log.
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
--> statement-breakpoint
create trigger environments_fee_recorded after update of fee_basis_points on environments for each row
when (old.fee_basis_points <> new.fee_basis_points) execute function record_fee_change();
