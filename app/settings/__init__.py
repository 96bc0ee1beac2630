"""Settings, each declared once. Its variable, option, validation and documentation are derived from the declaration."""

from app.settings.declaration import Setting, SettingError
from app.settings.misspelt import misspelt
from app.settings.service import SETTINGS, Settings, load, shown

__all__ = ["SETTINGS", "Setting", "SettingError", "Settings", "load", "misspelt", "shown"]
