"""The unmodified AWS SDK for JavaScript."""

from __future__ import annotations

import json
import subprocess
from base64 import b64encode

from tests.packages import program
from tests.process.running import PATIENCE_S
from tests.storage.s3.clients import KEY, SECRET_KEY
from tests.storage.service import Service, unique


def test_the_aws_sdk_for_javascript_works(s3_service: Service) -> None:
    bucket = unique("js")
    command = ["node", str(program("s3.mjs")), f"{s3_service.url}/storage/v1/s3", KEY, SECRET_KEY, bucket]
    done = subprocess.run(command, capture_output=True, text=True, timeout=4 * PATIENCE_S)
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout) == {
        "buckets": [bucket],
        "etag": '"5d41402abc4b2a76b9719d911017c592"',
        "head": [5, "text/x", {"user_id": "7"}],
        "range": "ell",
        "createOnly": ["PreconditionFailed", 412],
        "missing": ["NoSuchKey", 404],
        "stream": "one two",
        "parts": '-3"',
        "same": True,
        "copied": True,
        "signedGet": "hello",
        "signedPut": 200,
        "afterwards": "by URL",
        "signedMetadata": {"owner": "42", "place": f"=?UTF-8?B?{b64encode('Größe'.encode()).decode()}?="},
        "signedCopy": 200,
        "afterTheCopy": ["by URL", {"owner": "43"}],
        "signedParts": ["by URL", {"owner": "42", "place": f"=?UTF-8?B?{b64encode('Größe'.encode()).decode()}?="}],
        "signedRefusals": [[501, "NotImplemented"]] * 3,
        "afterRefusals": "by URL",
        "signedTags": [{"Key": "a", "Value": "b"}],
        "signedBucket": 200,
        "publicly": "to all",
        "keys": [["a b/(e)!'*+.txt", "copy"], ["large", "signed"], ["stream"]],
        "folders": ["a b/"],
        "notEmpty": ["BucketNotEmpty", 409],
        "deleted": 5,
        "gone": "done",
    }
