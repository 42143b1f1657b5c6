"""How a case of the compatibility run is declared, what it may use, and what became of it.

The client is the real one, unaltered; `Watched` only notes what it calls and waits out the limits.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import requests
from reflexio import ReflexioClient

#: Longest wait for work that goes on after an answer.
PATIENCE_S = 90
POLL_S = 0.25
#: Tries of one call that met a limit; a minute is the longest that the limits ask for.
LIMIT_TRIES = 3
NOT_YET = 501


class NotYet(Exception):
    """The documented answer of what comes later."""


@dataclass
class Call:
    """One HTTP call of the client, as it ended."""

    method: str
    path: str
    answer: Any = None
    fault: Exception | None = None


def status_of(fault: Exception) -> int | None:
    if isinstance(fault, requests.HTTPError) and fault.response is not None:
        return fault.response.status_code
    return fault.status if isinstance(fault, aiohttp.ClientResponseError) else None


def words_of(fault: Exception) -> str:
    """What the server said, where it still can be read."""
    response = getattr(fault, "response", None)
    return f"{fault}: {response.text[:300]}" if response is not None else str(fault)


def is_missing(fault: Exception) -> bool:
    """Whether the route itself is unknown. Of a call in the background only the status is left."""
    if isinstance(fault, aiohttp.ClientResponseError):
        return fault.status in (404, 405)
    return status_of(fault) in (404, 405) and "There is no such route" in words_of(fault)


class Watched(ReflexioClient):
    """The client, with its calls noted. A limited call is sent again when the server says it may."""

    def __init__(self, url: str, key: str, calls: list[Call]) -> None:
        super().__init__(api_key=key, url_endpoint=url, timeout=120)
        self.calls = calls

    def _make_request(self, method: str, endpoint: str, headers: dict | None = None, **kwargs: Any) -> Any:
        call = Call(method, endpoint.split("?")[0])
        try:
            for tries in range(1, LIMIT_TRIES + 1):
                try:
                    call.answer = super()._make_request(method, endpoint, headers, **kwargs)
                    return call.answer
                except requests.HTTPError as fault:
                    if status_of(fault) != 429 or tries == LIMIT_TRIES:
                        raise
                    time.sleep(float(fault.response.headers.get("retry-after", "60")))
        except Exception as fault:
            call.fault = fault
            raise
        finally:
            self.calls.append(call)

    async def _make_async_request(
        self, method: str, endpoint: str, headers: dict | None = None, **kwargs: Any
    ) -> Any:
        call = Call(method, endpoint.split("?")[0])
        try:
            for tries in range(1, LIMIT_TRIES + 1):
                try:
                    call.answer = await super()._make_async_request(method, endpoint, headers, **kwargs)
                    return call.answer
                except aiohttp.ClientResponseError as fault:
                    if fault.status != 429 or tries == LIMIT_TRIES:
                        raise
                    await asyncio.sleep(float((fault.headers or {}).get("retry-after", "60")))
        except Exception as fault:
            call.fault = fault
            raise
        finally:
            self.calls.append(call)


@dataclass
class World:
    """One pass: a client and names that no other case uses."""

    url: str
    key: str
    calls: list[Call] = field(default_factory=list)
    _names: int = 0

    def __post_init__(self) -> None:
        self.client = Watched(self.url, self.key, self.calls)

    def name(self, stem: str) -> str:
        self._names += 1
        return f"{stem}-{self._names}"

    def in_background(self, start: Callable[[], None]) -> Call:
        """Starts what answers nothing, and waits for the call that it makes on another thread."""
        before = len(self.calls)
        if start() is not None:
            raise AssertionError("a call that nobody waits for answered something")
        until(lambda: len(self.calls) > before, "the call in the background was made")
        call = self.calls[-1]
        if call.fault is not None:
            raise call.fault
        return call


def until(holds: Callable[[], Any], what: str, patience_s: float = PATIENCE_S) -> Any:
    """What `holds` answers once it is true. It is asked again until then, and fails after `patience_s`."""
    deadline = time.monotonic() + patience_s
    while True:
        found = holds()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {patience_s} s: {what}")
        time.sleep(POLL_S)


def equal(found: Any, expected: Any, what: str) -> None:
    if found != expected:
        raise AssertionError(f"{what}: expected {expected!r}, found {found!r}")


def refused(act: Callable[[], Any], status: int, what: str) -> None:
    """Fails unless the server refuses with `status`."""
    try:
        act()
    except (requests.HTTPError, aiohttp.ClientResponseError) as fault:
        if status_of(fault) != status:
            raise
        return
    raise AssertionError(f"{what}: expected status {status}, but it was done")


@dataclass(frozen=True)
class Case:
    """`run` says in a few words what it read back, and raises what went wrong."""

    method: str
    variant: str
    run: Callable[[World], str]

    @property
    def title(self) -> str:
        return f"{self.method} ({self.variant})" if self.variant else self.method


CASES: list[Case] = []


def case(method: str, variant: str = "") -> Callable[[Callable[[World], str]], Callable[[World], str]]:
    """Declares the case of one public method of the client."""

    def register(run: Callable[[World], str]) -> Callable[[World], str]:
        CASES.append(Case(method, variant, run))
        return run

    return register


@dataclass(frozen=True)
class Outcome:
    #: works, later, missing, fails or untested.
    result: str
    words: str


def outcome_of(run: Callable[[World], str], world: World) -> Outcome:
    try:
        return Outcome("works", run(world))
    except NotYet as later:
        return Outcome("later", str(later))
    except Exception as fault:
        if is_missing(fault):
            return Outcome("missing", "the server has no such route")
        return Outcome("fails", f"{type(fault).__name__}: {words_of(fault)}"[:600])
