"""Configurations of a bucket: pages that its CORS rules allow try another one, and callers try to change them."""

from __future__ import annotations

from app.faces.s3.routes import OPERATIONS
from bench.siege.client import token
from bench.siege.finding import Attack, Finding, Tally
from bench.siege.grounds import Grounds
from bench.siege.signing import PREFIX, ask_s3

_PAGE = "https://page.example"
_RULES = (
    b"<CORSConfiguration><CORSRule><AllowedOrigin>%s</AllowedOrigin><AllowedMethod>GET</AllowedMethod>"
    b"<AllowedHeader>*</AllowedHeader></CORSRule></CORSConfiguration>"
)


def _another_bucket(grounds: Grounds, _: float) -> Finding:
    """A page that the rules of one bucket allow, at paths that mix it with a bucket whose rules do not."""
    service, tally = grounds.service, Tally()
    mine, theirs = service.bucket(public=True), service.bucket(public=True)
    for bucket, origin in ((mine, _PAGE), (theirs, "https://other.example")):
        service.ask("POST", f"/object/{bucket}/kept", b"kept")
        put = ask_s3(service, "PUT", f"/{bucket}?cors", _RULES % origin.encode())
        tally.add(put.status == 200, ("the rules themselves", put.status, put.body))
    public = "/object/public"
    paths = [
        f"{public}/{theirs}/kept", f"{public}/{theirs}/../{mine}/kept", f"{public}/{mine}/../{theirs}/kept",
        f"{public}/{theirs}%2F..%2F{mine}/kept", f"{public}//{mine}/../{theirs}/kept",
        f"{public}/{theirs}//{mine}/kept",
        f"{PREFIX}/{theirs}/kept", f"{PREFIX}/{theirs}/kept?bucket={mine}", f"{PREFIX}//{mine}/../{theirs}/kept",
        f"/s3/{theirs}/kept?x-amz-copy-source={mine}/kept", f"/storage/v1{public}/{theirs}/kept?bucket={mine}",
        f"/render/image/public/{theirs}/kept", f"/object/info/public/{theirs}/kept",
    ]  # fmt: skip
    for path in paths:
        for more in ({}, {"X-Forwarded-Host": f"{mine}.s3.example"}, {"X-Forwarded-Prefix": f"{public}/{mine}"}):
            answer = service.ask("GET", path, None, None, Origin=_PAGE, **more)
            readable = answer.headers.get("access-control-allow-origin") in (_PAGE, "*")
            tally.add(not (readable and answer.body == b"kept"), (path, more, answer.status, answer.headers))
    right = service.ask("GET", f"{public}/{mine}/kept", None, None, Origin=_PAGE)
    tally.add(right.headers.get("access-control-allow-origin") == _PAGE, ("the allowed use itself", right.headers))
    return tally.finding()


_CONFIGURATIONS = {
    "cors": _RULES % b"*",
    "tagging": b"<Tagging><TagSet><Tag><Key>a</Key><Value>evil</Value></Tag></TagSet></Tagging>",
    "versioning": b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>",
    "lifecycle": b"<LifecycleConfiguration><Rule><Status>Enabled</Status><Filter><Prefix/></Filter><Expiration><Days>1"
    b"</Days></Expiration></Rule></LifecycleConfiguration>",
}


def _configurations_of_others(grounds: Grounds, _: float) -> Finding:
    """Callers without rights on a bucket set, read and remove its rules, tags and status."""
    service, tally = grounds.service, Tally()
    bucket = service.bucket(public=True)
    ask_s3(service, "PUT", f"/{bucket}?cors", _RULES % b"https://other.example")
    state = f"select to_jsonb(b) - 'updated_at' from storage.buckets b where id = '{bucket}'"
    before = service.sql(state)
    for name, document in _CONFIGURATIONS.items():
        for method in sorted({each.method for each in OPERATIONS if name in each.names and each.kind == "bucket"}):
            for credential in (token("anon"), token("authenticated", sub="mallory")):
                answer = ask_s3(service, method, f"/{bucket}?{name}", document, credential)
                tally.add(400 <= answer.status < 500, (name, method, answer.status, answer.body))
            unsigned = service.ask(method, f"{PREFIX}/{bucket}?{name}", document, None)
            tally.add(400 <= unsigned.status < 500, (name, method, unsigned.status, unsigned.body))
    status = {"versioning_status": "ENABLED"}
    answer = service.ask("PUT", f"/bucket/{bucket}", status, token("authenticated", sub="mallory"))
    tally.add(answer.status == 400, ("REST", answer.status, answer.body))
    after = service.sql(state)
    tally.add(after == before, ("the bucket was changed", after))
    return tally.finding()


ATTACKS = (
    Attack("CORS of another bucket", "the rules of a bucket open no other bucket to a page", _another_bucket),
    Attack(
        "buckets of others",
        "only a role that may update a bucket changes its CORS and lifecycle rules, tags and status",
        _configurations_of_others,
    ),
)
