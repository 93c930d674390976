-- a column, and what stands in it
BEGIN;
ALTER TABLE "orders" ADD COLUMN IF NOT EXISTS state text NOT NULL DEFAULT 'new';
UPDATE orders o SET state = CASE WHEN o.paid_at IS NULL THEN 'new' ELSE 'it''s paid' END WHERE o.id IN (SELECT id FROM archive.orders LIMIT 10);
DELETE FROM sessions WHERE seen < now() - interval '30 days'; /* old; ones */
CREATE OR REPLACE FUNCTION touch() RETURNS trigger AS $body$
BEGIN NEW.changed := now(); EXECUTE format('ANALYZE %I', TG_TABLE_NAME); RETURN NEW; END;
$body$ LANGUAGE plpgsql;
COMMIT;
\echo done
\copy (select * from orders) to 'orders.csv' csv header
