"""The endpoint for forms of rows: what the database requires of each field, and to which rows it refers."""

from __future__ import annotations

import json
from pathlib import Path

from portico import RequestError
from portico_studio.answers import JsonResource

_FORM = (Path(__file__).parent / "form.sql").read_text(encoding="utf-8")


class FormResource(JsonResource):
    """``GET /studio/api/form?role=ROLE&type=TYPE``: the fields of a type that a role sees, each with ``required``,
    ``nullable``, its ``default`` as SQL, and the ``target`` of a foreign key of one column: a type, and its field.
    ``constraints`` has the fields of each constraint."""

    def get(self, req):
        self.guard.check_service(req)
        api = self.services.schema(req.params.get("role", ""))
        relation = next((each for each in api.relations if each.type_name == req.params.get("type")), None)
        if relation is None:
            raise RequestError("The role has no such type.", code="NO_SUCH_TYPE")
        catalog = json.loads(self.services.read(_FORM.replace(":oid", str(int(relation.relation.oid)))))
        targets = {
            key["columns"][0]: _target(api, key)
            for key in catalog["constraints"]
            if key["to"] and len(key["columns"]) == 1
        }
        fields = _fields(relation)
        return {
            "fields": {
                field: {**catalog["columns"][column], "target": targets.get(column)} for column, field in fields.items()
            },
            "constraints": {
                each["name"]: [fields[column] for column in each["columns"] or () if column in fields]
                for each in catalog["constraints"]
            },
        }


def _fields(relation):
    """The names of the fields, by columns, that the role may read or insert."""
    return {each.name: each.field_name for each in (*relation.columns, *relation.insertable)}


def _target(api, key):
    relation = next((each for each in api.relations if each.relation.oid == key["to"]), None)
    field = _fields(relation).get(key["toColumns"][0]) if relation else None
    return {"type": relation.type_name, "field": field} if field else None
