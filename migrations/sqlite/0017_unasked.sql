-- stores: verification exchange
-- Nobody asks for the keys of a resource or for the jobs of a subject; each create wrote into both.
DROP INDEX idempotency_key_by_resource;
DROP INDEX job_by_subject;
