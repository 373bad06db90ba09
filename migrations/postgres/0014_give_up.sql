-- stores: exchange
-- An index for nothing but the question whose time is over. With the statistics of a moment without
-- a backlog PostgreSQL took it for the look at who has something due, since it has the same rows:
-- then it read and sorted the whole backlog for each integration.
DROP INDEX order_delivery_give_up;
CREATE INDEX order_delivery_give_up ON order_delivery (give_up_at)
    WHERE due_at IS NOT NULL AND give_up_at > 0;
