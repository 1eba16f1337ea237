-- Of a whole day: nine million of the largest payments are more than a bigint holds, and no day of any merchant was folded.
ALTER TABLE "daily_totals" ALTER COLUMN "amount" SET DATA TYPE numeric(40, 0);
