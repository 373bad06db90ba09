-- stores: verification
-- Figures are asked for by the name of what was counted, hour by hour (contract, section 18.6).
CREATE INDEX metric_hour_by_name ON metric_hour (name, at, labels, value);
-- And how the SIMs stood, each in cells of ten minutes.
CREATE INDEX metric_minute_by_sim ON metric_minute (labels, at, value) WHERE name = 'sim_minutes';
