"""Clients of the S3 protocol, and signatures made by botocore."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import boto3
from botocore.client import Config
from botocore.exceptions import ClientError

from tests.storage.service import ANON, Service

KEY, SECRET_KEY = "0123456789abcdef", "the secret of the access key that the settings have"


def client(service: Service, key: str = KEY, secret: str = SECRET_KEY, token: str | None = None, **config: Any) -> Any:
    """boto3's client; ``config`` is its configuration."""
    return boto3.client("s3", **arguments(service, key, secret, token, **config))


def arguments(
    service: Service, key: str = KEY, secret: str = SECRET_KEY, token: str | None = None, **config: Any
) -> dict[str, Any]:
    """The arguments of boto3's clients and resources."""
    style = config.pop("s3", {"addressing_style": "path"})
    retries = config.pop("retries", {"max_attempts": 1})
    return {
        "endpoint_url": f"{service.url}{config.pop('path', '/storage/v1/s3')}",
        "region_name": config.pop("region", "us-east-1"),
        "aws_access_key_id": key,
        "aws_secret_access_key": secret,
        "aws_session_token": token,
        "config": Config(s3=style, retries=retries, signature_version="s3v4", **config),
    }


def as_user(service: Service, token: str, **config: Any) -> Any:
    """boto3's client with a user's token; the secret is the anon key."""
    return client(service, "any", ANON, token, **config)


def code_of(ex: ClientError) -> tuple[int, str]:
    """The status and the code of an error."""
    response: Mapping[str, Any] = ex.response
    return response["ResponseMetadata"]["HTTPStatusCode"], response["Error"]["Code"]
