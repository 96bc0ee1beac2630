"""Uploads with the caller's own rights."""

from __future__ import annotations

from app.faces.rest.call import Call, json_answer
from app.faces.shared.upload_body import check_declared, read_upload
from app.faces.shared.write_conditions import write_conditions
from app.http.response import Answer
from app.storage import writing
from app.storage.judging import Write
from app.storage.storage import Storage
from app.storage.upkeep.events import CREATED_POST, CREATED_PUT


def create_object(storage: Storage, call: Call) -> Answer:
    """POST /object/{bucket}/{key}: a new object; with ``x-upsert: true`` it may replace one."""
    return _upload(storage, call, upsert=call.upsert, event=CREATED_POST)


def put_object(storage: Storage, call: Call) -> Answer:
    """PUT /object/{bucket}/{key}: an object, new or replaced."""
    return _upload(storage, call, upsert=True, event=CREATED_PUT)


def _upload(storage: Storage, call: Call, *, upsert: bool, event: str) -> Answer:
    check_declared(call.headers)
    content = read_upload(call.headers, call.body, call.length)
    etags, must_be_new = write_conditions(call.headers)
    write = Write(
        name=call.name,
        upsert=upsert and not must_be_new,
        owner=call.asker.subject,
        user_metadata=content.user_metadata or {},
        event=event,
        etags=etags,
        must_be_new=must_be_new,
    )
    identifier = writing.put(storage, call.asker, write, content).id
    return json_answer({"Key": f"{call.bucket}/{call.key}", "Id": identifier})
