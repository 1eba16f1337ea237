import type { BookCheck } from "./book-check";

export const ACCOUNT_CHECKS: readonly BookCheck[] = [
  {
    check: "abandoned_is_test_data",
    proves: "What is no longer looked at because it is being removed is test data of a closed account, and of nobody.",
    evenAbandoned: true,
    sql: `
      select * from (
        select e.id as environment_id, e.merchant_id, case
            when e.mode <> 'test' then 'it is live'
            when exists (select from users u where u.merchant_id = e.merchant_id) then 'the account has people'
            when not exists (select from environments l join audit_log a on a.environment_id = l.id
              where l.merchant_id = e.merchant_id and l.mode = 'live' and a.action = 'settings.account_closed')
              then 'nothing says that it was closed'
            when e.emptied_at is not null and exists (select from payments p where p.environment_id = e.id)
              then 'it is not empty' end as problem
        from environments e
        where e.abandoned_at is not null
      ) abandoned
      where problem is not null`,
  },
];
