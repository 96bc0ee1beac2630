"""Settings, each declared once: the declaration drives variable, option, check, ``portico settings`` and docs."""

from app.settings.declaration import Setting, SettingError
from app.settings.service import SETTINGS, Settings, load, shown

__all__ = ["SETTINGS", "Setting", "SettingError", "Settings", "load", "shown"]
