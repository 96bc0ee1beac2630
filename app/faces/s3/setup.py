"""Creates the face of this protocol from the settings."""

from __future__ import annotations

from importlib.util import find_spec

from app.faces.s3.access_keys import AccessKeys
from app.faces.s3.face import S3Face
from app.faces.s3.key_ring import KeyRing
from app.faces.s3.probe import probe_secret
from app.settings import SettingError, Settings
from app.storage.storage import Storage


def open_s3(settings: Settings, storage: Storage) -> S3Face:
    """The face, for a service whose setting S3_PROTOCOL is on. Raises SettingError for settings that are invalid."""
    if find_spec("defusedxml") is None:
        raise SettingError("S3_PROTOCOL: install the package with the extra s3-protocol, or set it off")
    pair = settings.s3_protocol_access_key_id, settings.s3_protocol_access_key_secret
    if (pair[0] is None) != (pair[1] is None):
        raise SettingError("S3_PROTOCOL_ACCESS_KEY_ID and S3_PROTOCOL_ACCESS_KEY_SECRET are set together or not at all")
    secret = settings.jwt_secret or settings.service_role_key
    keys = KeyRing(
        storage.identity,
        pair=(pair[0], pair[1]) if pair[0] is not None and pair[1] is not None else None,
        anon_key=settings.anon_key,
        project_ref=settings.project_ref,
        stored=AccessKeys(storage.database, storage.contexts, secret) if secret else None,
    )
    return S3Face(storage, keys, settings, probe_secret(secret) if secret else None)
