"""Endpoints about the service: settings without secrets, plugins, versions, and the findings of `portico doctor`."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.metadata import version

from portico import shown_settings
from portico.diagnosis import findings
from portico_studio.answers import JsonResource

_SERVER = (
    "select pg_catalog.json_build_object("
    "'version', current_setting('server_version'), 'name', current_database())::text"
)


class ServiceResource(JsonResource):
    """``GET /studio/api/service``: versions, settings and plugins."""

    def get(self, req):
        self.guard.check_service(req)
        services = self.services
        return {
            "version": version("portico-api"),
            "database": json.loads(services.read(_SERVER)),
            "settings": [
                {"name": each.env, "value": value, "help": each.help, "secret": each.kind.is_secret}
                for each, value in shown_settings(services.settings)
            ],
            "plugins": [
                {
                    "name": each.name,
                    "from": each.distribution,
                    "about": each.summary,
                    "disabled": each.disabled,
                    "problem": each.problem or services.plugins.faults.get(each.name, ""),
                }
                for each in services.plugins.installed
            ],
        }


class FindingsResource(JsonResource):
    """``GET /studio/api/findings``: the findings of `portico doctor` and `portico doctor --security`, the worst
    first."""

    def get(self, req):
        self.guard.check_service(req)
        settings, plugins = self.services.settings, self.services.plugins
        # For a finding of both, that of the security review counts, since it is stricter.
        both = [*findings(settings, plugins), *findings(settings, plugins, security=True)]
        found = {each.what: each for each in both if each.mark != "ok"}
        listed = [{"mark": each.mark, "what": each.what, "fix": each.fix} for each in found.values()]
        return {"findings": sorted(listed, key=lambda each: each["mark"] != "WRONG")}


class SlowOperationsResource(JsonResource):
    """``GET /studio/api/slow``: the slowest recent GraphQL operations of all workers, without their values."""

    def get(self, req):
        self.guard.check_service(req)
        return {"operations": [asdict(each) for each in self.services.slow_operations()]}
