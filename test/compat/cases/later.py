"""What comes later: each of these answers so, clearly, and nothing else."""

from collections.abc import Callable
from typing import Any

import aiohttp
import requests
from harness import NOT_YET, NotYet, World, case, status_of, words_of


def later(method: str, area: str, act: Callable[[World], Any]) -> None:
    """The case of a method whose answer is the documented "not yet"."""

    def run(world: World) -> str:
        try:
            act(world)
        except (requests.HTTPError, aiohttp.ClientResponseError) as fault:
            if status_of(fault) != NOT_YET:
                raise
            words = words_of(fault)
            if isinstance(fault, requests.HTTPError) and "not yet" not in words.lower():
                raise AssertionError(f"the answer does not say that it comes later: {words}") from fault
            raise NotYet(area) from None
        raise AssertionError("it answers, but no case reads back what it wrote")

    case(method)(run)


PROFILE = {"user_id": "ada", "content": "Speaks Basque."}

later("add_user_profile", "profiles", lambda w: w.client.add_user_profile([PROFILE]))
later("get_profiles", "profiles", lambda w: w.client.get_profiles(user_id="ada"))
later("get_all_profiles", "profiles", lambda w: w.client.get_all_profiles())
later("search_profiles", "profiles", lambda w: w.client.search_profiles(user_id="ada", query="x"))
later("search_user_profiles", "profiles", lambda w: w.client.search_user_profiles(user_id="ada", query="x"))
later(
    "rerank_user_profiles",
    "profiles",
    lambda w: w.client.rerank_user_profiles(user_id="ada", query="x", profile_ids=["p"]),
)
later("get_profile_change_log", "profiles", lambda w: w.client.get_profile_change_log())
later("upgrade_profiles", "profiles", lambda w: w.client.upgrade_profiles())
later("delete_profile", "profiles", lambda w: w.client.delete_profile("ada", "p", wait_for_response=True))
later("delete_profiles_by_ids", "profiles", lambda w: w.client.delete_profiles_by_ids(["p"]))
later("delete_all_profiles", "profiles", lambda w: w.client.delete_all_profiles())
later(
    "rerun_profile_generation",
    "profiles",
    lambda w: w.client.rerun_profile_generation(user_id="ada", wait_for_response=True),
)
later(
    "manual_profile_generation",
    "profiles",
    lambda w: w.in_background(lambda: w.client.manual_profile_generation(user_id="ada")),
)

later(
    "get_agent_success_evaluation_results",
    "evaluation",
    lambda w: w.client.get_agent_success_evaluation_results(),
)
later(
    "get_retrieved_learning_evaluation_results",
    "evaluation",
    lambda w: w.client.get_retrieved_learning_evaluation_results(user_id="ada"),
)
later("regenerate_evaluations", "evaluation", lambda w: w.client.regenerate_evaluations(from_ts=1, to_ts=2))
later(
    "get_evaluation_regeneration_status",
    "evaluation",
    lambda w: w.client.get_evaluation_regeneration_status("job"),
)
later(
    "cancel_evaluation_regeneration", "evaluation", lambda w: w.client.cancel_evaluation_regeneration("job")
)
later(
    "grade_on_demand",
    "evaluation",
    lambda w: w.client.grade_on_demand(session_id="s", agent_version="v"),
)
later("list_retrieval_experiments", "retrieval experiments", lambda w: w.client.list_retrieval_experiments())
later(
    "start_retrieval_experiment",
    "retrieval experiments",
    lambda w: w.client.start_retrieval_experiment("e", 10),
)
later("stop_retrieval_experiment", "retrieval experiments", lambda w: w.client.stop_retrieval_experiment("e"))
later(
    "get_retrieval_experiment_results",
    "retrieval experiments",
    lambda w: w.client.get_retrieval_experiment_results("e"),
)

later("list_pending_tool_calls", "clarification", lambda w: w.client.list_pending_tool_calls())
later("get_pending_tool_call", "clarification", lambda w: w.client.get_pending_tool_call("t"))
later(
    "resolve_pending_tool_call",
    "clarification",
    lambda w: w.client.resolve_pending_tool_call("t", answer="x"),
)
later(
    "update_pending_tool_call_answer",
    "clarification",
    lambda w: w.client.update_pending_tool_call_answer("t", "x"),
)
later(
    "mark_pending_tool_call_not_applicable",
    "clarification",
    lambda w: w.client.mark_pending_tool_call_not_applicable("t"),
)
later("cancel_pending_tool_call", "clarification", lambda w: w.client.cancel_pending_tool_call("t"))

later("get_stall_state", "stall state", lambda w: w.client.get_stall_state())
later("mark_stall_notified", "stall state", lambda w: w.client.mark_stall_notified())
