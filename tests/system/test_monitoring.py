"""Alerts and a dashboard for operators, checked with Prometheus' own tool and the server's own metrics."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from racing_demon_server.ops.metrics import Metrics
from tests.support.deployed import DEPLOY
from tests.support.servers import PATIENCE

FOLDER = DEPLOY / "monitoring"
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text())
EXPRESSIONS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]

needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool comes with the package prometheus"
)


def promtool(*arguments: object) -> None:
    """Run a check that must succeed."""
    ended = subprocess.run(  # noqa: S603 - our own files
        ["promtool", *map(str, arguments)],  # noqa: S607
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=FOLDER,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


@needs_promtool
def test_prometheus_accepts_the_configuration_and_the_alerts() -> None:
    """The configuration names the alerts' file, and both are valid."""
    promtool("check", "config", "prometheus.yaml")


@needs_promtool
def test_the_alerts_fire_on_trouble_only() -> None:
    """A dead server, a full disk and a slow disk raise an alert, and a healthy server none."""
    promtool("test", "rules", "alerts_test.yaml")


@needs_promtool
def test_prometheus_understands_the_dashboard(tmp_path: Path) -> None:
    """Each expression of the dashboard is valid, with Grafana's variables filled in."""
    rules = [
        {"record": f"panel:{number}", "expr": expression.replace("$__rate_interval", "1m")}
        for number, expression in enumerate(EXPRESSIONS)
    ]
    file = tmp_path / "dashboard.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    promtool("check", "rules", file)


def test_alerts_and_dashboard_use_metrics_that_exist() -> None:
    """Every metric that they name is one that the server exports."""
    text = Metrics().text(0, 0)
    exported = set(re.findall(r"^# TYPE (racing_demon_\w+)", text, re.MULTILINE))
    used = re.findall(r"racing_demon_\w+", " ".join(EXPRESSIONS) + (FOLDER / "alerts.yaml").read_text())
    assert {name.removesuffix("_bucket") for name in used} - exported == set()
    assert len(EXPRESSIONS) > 0
