"""A catalog service as one writes it with FastAPI: takes a snapshot, checks it, and answers 202
once it is stored. worker.py applies it."""

import os
import secrets
from typing import Annotated

from fastapi import Depends, FastAPI, Header, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import ValidationError
from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from catalog import ACCEPTED, PackageRow, Snapshot, engine

BODY_MAX = 26_214_400
ERRORS_MAX = 20
TOKEN = os.environ["TOKEN"]

app = FastAPI()


def check_token(shown: Annotated[HTTPAuthorizationCredentials, Depends(HTTPBearer())]):
    if not secrets.compare_digest(shown.credentials, TOKEN):
        raise HTTPException(401)


def read_snapshot(body):
    try:
        return Snapshot.model_validate_json(body)
    except ValidationError as fault:
        errors = fault.errors(include_url=False, include_input=False, include_context=False)
        raise HTTPException(422, errors[:ERRORS_MAX]) from fault


def take(integration_id, key, body):
    """Stores a package that is right, once."""
    if read_snapshot(body).event_id != key:
        raise HTTPException(422, "Idempotency-Key is not the event_id")
    values = {"integration_id": integration_id, "event_id": key, "body": body.decode()}
    with engine.begin() as connection:
        connection.execute(insert(PackageRow).values(values).on_conflict_do_nothing())
        connection.execute(select(func.pg_notify(ACCEPTED, "")))
    return {"event_id": key, "status": "accepted"}


@app.post(
    "/api/v1/integrations/erp/{integration_id}/catalog-snapshot",
    status_code=202,
    dependencies=[Depends(check_token)],
)
async def post_snapshot(
    integration_id: str, request: Request, idempotency_key: Annotated[str, Header()]
):
    if int(request.headers.get("content-length", 0)) > BODY_MAX:
        raise HTTPException(413)
    return await run_in_threadpool(take, integration_id, idempotency_key, await request.body())


@app.get(
    "/api/v1/integrations/erp/{integration_id}/events/{event_id}",
    dependencies=[Depends(check_token)],
)
def get_event(integration_id: str, event_id: str):
    wanted = select(PackageRow.event_id, PackageRow.status, PackageRow.error).where(
        PackageRow.integration_id == integration_id, PackageRow.event_id == event_id
    )
    with engine.connect() as connection:
        row = connection.execute(wanted).one_or_none()
    if not row:
        raise HTTPException(404)
    return dict(row._mapping)


@app.get("/health/live")
async def get_health():
    return {"ok": True}
