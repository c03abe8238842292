"""The files of deploy/: every path that they name exists, ports agree, doors are shut."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from attention_lab.classroom.store import PLACE_VARIABLE
from attention_ui.browser_files import COMPONENT_PREFIX, STYLE_SHEETS

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
OPTIONS: dict[str, Any] = tomllib.loads(
    (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
)
# What a page asks for; test_configuration.py would notice another of ours.
NEEDED = ("/_stcore/stream", "/_stcore/upload_file")


def text(name: str) -> str:
    """A file of the folder."""
    return (DEPLOY / name).read_text(encoding="utf-8")


def test_an_image_holds_what_the_app_needs() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", text("Dockerfile"), re.M)
    sources = {source for line in copied for source in line.split()}
    assert all((ROOT / source).exists() for source in sources)
    packages = {path.parent.name for path in ROOT.glob("attention_*/py.typed")}
    assert packages | {"app.py", "pages", "assets", ".streamlit", "requirements.lock"} <= sources
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line[0] == "!"}
    assert {Path(source).parts[0] for source in sources} == kept


def test_processes_have_the_port_and_the_file_of_the_image() -> None:
    image, compose = text("Dockerfile"), text("compose.yaml")
    (port,) = re.findall(r"--server.port=(\d+)", image)
    assert f"EXPOSE {port}" in image
    servers = re.findall(r"^server (\S+):(\d+) ", text("processes.conf"), re.M)
    assert {number for _, number in servers} == {port}
    assert [name for name, _ in servers] == re.findall(r"^  (app-\d): \*app$", compose, re.M)
    (folder,) = re.findall(rf"{PLACE_VARIABLE}=(/\w+)/", image)
    assert f":{folder}" in compose


def test_hosts_share_a_database_and_are_reached_by_the_ingress_alone() -> None:
    """SQLite in WAL mode cannot lie on a volume of several hosts."""
    (port,) = re.findall(r"--server.port=(\d+)", text("Dockerfile"))
    parts = {one["kind"]: one for one in yaml.safe_load_all(text("kubernetes.yaml"))}
    assert "PersistentVolumeClaim" not in parts
    pod = parts["Deployment"]["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    (place,) = (one for one in container["env"] if one["name"] == PLACE_VARIABLE)
    key = place["valueFrom"]["secretKeyRef"]
    assert key["name"] == parts["Secret"]["metadata"]["name"]
    assert parts["Secret"]["stringData"][key["key"]].startswith("postgresql://")
    assert "psycopg==" in text("server.lock")
    policy = parts["NetworkPolicy"]["spec"]
    assert policy["podSelector"]["matchLabels"] == pod["metadata"]["labels"]
    (door,) = policy["ingress"]
    assert [one["port"] for one in door["ports"]] == [int(port)]
    assert door["from"]
    assert {one["port"] for rule in policy["egress"] for one in rule["ports"]} == {53, 5432}
    assert container["ports"] == [{"containerPort": int(port)}]
    assert parts["Service"]["spec"]["ports"][0]["targetPort"] == int(port)


def test_no_container_can_write_or_gain_rights() -> None:
    services = yaml.safe_load(text("compose.yaml"))["services"]
    assert len(services) == 5
    for name, service in services.items():
        assert service["read_only"], name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert {"mem_limit", "pids_limit"} <= service.keys(), name
    stages = re.split(r"^FROM .* AS ", text("Dockerfile"), flags=re.M)[1:]
    users = {stage.split()[0]: re.findall(r"^USER (\S+)", stage, re.M)[-1:] for stage in stages}
    assert (users["app"], users["proxy"]) == (["lab"], ["nginx"])


def test_nginx_finds_every_file_that_it_includes() -> None:
    """And writes to /tmp alone, which is all that its container may write to."""
    names = "nginx-main.conf", "nginx.conf", "processes.conf", "proxies.conf", "headers.conf"
    both = text("nginx-main.conf") + text("nginx.conf")
    included = set(re.findall(r"include (/etc/nginx/attention-lab/\S+);", both))
    assert included == {f"/etc/nginx/attention-lab/{name}" for name in names[2:]}
    assert set(names) == {path.name for path in DEPLOY.glob("*.conf")}
    assert all(f"deploy/{name}" in text("Dockerfile") for name in names)
    written = re.findall(r"^ *(?:pid|\w+_temp_path) (\S+);", text("nginx-main.conf"), re.M)
    assert len(written) == 6
    assert all(path.startswith("/tmp/") for path in written)
    (port,) = re.findall(r"listen (\d+) ", text("nginx.conf"))
    assert f"EXPOSE {port}" in text("Dockerfile")
    assert f":{port}" in yaml.safe_load(text("compose.yaml"))["services"]["proxy"]["ports"][0]


def locations() -> dict[str, str]:
    """The places of a URL that nginx knows, with what it does there."""
    found = re.findall(r"location (?:= |~ )?(\S+) \{(.*?)\}", text("nginx.conf"), re.S)
    return dict(found)


@pytest.mark.parametrize("door", ["metrics", "script-health-check", "agent/"])
def test_inner_doors_are_shut(door: str) -> None:
    assert locations()[f"/_stcore/{door}"].strip() == "return 404;"


def test_what_pages_need_is_open_and_bounded() -> None:
    assert all("proxy_pass" in locations()[path] for path in NEEDED)
    most = OPTIONS["server"]["maxUploadSize"]
    assert f"client_max_body_size {most}m;" in locations()["/_stcore/upload_file"]
    (components,) = (path for path in locations() if COMPONENT_PREFIX in path)
    for name in STYLE_SHEETS:
        assert re.fullmatch(
            components.strip("^$"), f"/_stcore/bidi-components/{COMPONENT_PREFIX}.{name}/x.js"
        )


def test_every_answer_with_headers_of_its_own_has_the_security_headers() -> None:
    for path, rules in locations().items():
        assert ("add_header" not in rules) or ("headers.conf" in rules), path
    policy = text("headers.conf")
    for header in ("Content-Security-Policy", "X-Content-Type-Options nosniff", "frame-ancestors"):
        assert header in policy


def test_the_ingress_has_the_headers_of_nginx() -> None:
    nginx = re.findall(r'^add_header (\S+) "?(.*?)"? always;$', text("headers.conf"), re.M)
    whole = text("kubernetes.yaml")
    headers = whole[whole.index("kind: ConfigMap") :].split("---")[0]
    assert dict(nginx) == dict(re.findall(r'^  ([A-Z]\S+): "?(.*?)"?$', headers, re.M))
    assert len(nginx) > 3
    (name,) = re.findall(r"name: (\S+)", headers)
    assert f"custom-headers: default/{name} " in whole


def test_images_and_actions_are_named_by_digest() -> None:
    stages = re.findall(r" AS (\w+)$", text("Dockerfile"), re.M)
    images = re.findall(r"^FROM (\S+)", text("Dockerfile"), re.M)
    assert all(name in stages or re.search(r"@sha256:[0-9a-f]{64}$", name) for name in images)
    workflows = [file.read_text("utf-8") for file in (ROOT / ".github").rglob("*.yml")]
    actions = [name for file in workflows for name in re.findall(r"uses: (\S+)", file)]
    assert actions
    assert all(re.search(r"@[0-9a-f]{40}$", name) for name in actions)
