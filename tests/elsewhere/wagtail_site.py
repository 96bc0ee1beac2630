"""Settings of a Django project with Wagtail's applications only; the PG* variables name its database."""

import os

SECRET_KEY = "a test has no secrets"
INSTALLED_APPS = [
    *(f"django.contrib.{name}" for name in ("admin", "auth", "contenttypes", "messages", "sessions", "staticfiles")),
    "taggit",
    "modelcluster",
    "wagtail",
    *(f"wagtail.{name}" for name in ("admin", "documents", "embeds", "images", "search", "sites", "snippets", "users")),
    *(f"wagtail.contrib.{name}" for name in ("forms", "redirects")),
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": os.environ.get("PGHOST", ""),
        "PORT": os.environ.get("PGPORT", ""),
        "NAME": os.environ.get("PGDATABASE", ""),
        "USER": os.environ.get("PGUSER", ""),
        "PASSWORD": os.environ.get("PGPASSWORD", ""),
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
WAGTAIL_SITE_NAME = "elsewhere"
WAGTAILADMIN_BASE_URL = "http://localhost"
SILENCED_SYSTEM_CHECKS = ["admin.E408", "admin.E409", "admin.E410"]
STATIC_URL = "/static/"
ROOT_URLCONF = "django.contrib.auth.urls"
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
