"""Every endpoint of the seed document, called once: by the client where it has a method, else directly."""

import re
from pathlib import Path

import requests
from harness import NOT_YET, Call, Outcome, World, is_missing, status_of, words_of

LISTED = re.compile(r"`((?:GET|POST|PUT|PATCH|DELETE) /[^` ]*)`")

#: Bodies and queries of what the client has no method for.
BODIES: dict[str, dict] = {
    "POST /api/get_dashboard_stats": {"days_back": 7},
    "POST /api/get_playbook_application_stats": {"days_back": 7},
    "PUT /api/update_user_profile": {"user_id": "ada", "profile_id": "p", "content": "x"},
    "POST /api/braintrust/connect": {"api_key": "x"},
    "POST /api/braintrust/select_projects": {"project_ids": ["x"]},
}
QUERIES: dict[str, dict[str, str]] = {
    "GET /api/playbook_aggregation_change_logs": {"playbook_name": "playbook", "agent_version": "compat-1"},
    "GET /api/get_operation_status": {"service_name": "playbook_generation"},
    "GET /api/learning_status": {"request_id": "x"},
}


def listed_endpoints(seed: Path | None) -> list[str]:
    """The endpoints of `endpoints.txt`. Raises where the seed document, if it is there, lists others."""
    known = Path(__file__).with_name("endpoints.txt").read_text(encoding="utf-8").split("\n")[:-1]
    if seed is not None:
        told = list(dict.fromkeys(LISTED.findall(seed.read_text(encoding="utf-8"))))
        if told != known:
            raise SystemExit(f"endpoints.txt differs from {seed.name}: {sorted(set(told) ^ set(known))}")
    return known


def _fits(endpoint: str, call: Call) -> bool:
    method, template = endpoint.split(" ")
    pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template))
    return call.method == method and re.fullmatch(pattern, call.path) is not None


def _judge(status: int, words: str) -> Outcome:
    if 200 <= status < 300:
        return Outcome("works", str(status))
    if status == NOT_YET:
        return Outcome("later", str(status))
    if status in (404, 405) and "There is no such route" in words:
        return Outcome("missing", "the server has no such route")
    return Outcome("fails", f"{status}: {words[:300]}")


def _directly(endpoint: str, world: World) -> Outcome:
    method, template = endpoint.split(" ")
    path = re.sub(r"\{\w+\}", "x", template)
    answer = requests.request(
        method,
        world.url + path,
        params=QUERIES.get(endpoint),
        json=None if method == "GET" else BODIES.get(endpoint, {}),
        headers={"Authorization": f"Bearer {world.key}"} if world.key else {},
        timeout=120,
    )
    return _judge(answer.status_code, answer.text)


def call_endpoint(endpoint: str, world: World) -> Outcome:
    """What the endpoint answered the client at its best, or answers now to a call of its own."""
    calls = [call for call in world.calls if _fits(endpoint, call)]
    if any(call.fault is None for call in calls):
        return Outcome("works", "called by the client")
    for fault in (call.fault for call in calls):
        status = status_of(fault) if fault is not None else None
        if fault is not None and status is not None:
            result = "missing" if is_missing(fault) else _judge(status, words_of(fault)).result
            return Outcome(result, f"called by the client: {status}")
    return _directly(endpoint, world)
