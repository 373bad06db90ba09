-- stores: exchange
-- The search finds a refused package by the id that its ERP gave it (contract, section 18.5).

CREATE INDEX erp_refusal_by_event ON erp_refusal (integration_id, event_id, id)
    WHERE event_id IS NOT NULL;
