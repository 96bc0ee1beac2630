"""Settings, each declared once: variable, option, validation, ``portico settings`` and docs follow from that."""

from app.settings.declaration import Setting, SettingError
from app.settings.misspelt import misspelt
from app.settings.service import SETTINGS, Settings, load, shown

__all__ = ["SETTINGS", "Setting", "SettingError", "Settings", "load", "misspelt", "shown"]
