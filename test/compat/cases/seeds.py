"""What cases write before they try a method."""

from typing import Any

from harness import World, until

VERSION = "compat-1"

#: A correction that the keyless reasoner turns into a rule.
LESSON = [
    {"role": "Assistant", "content": "The fix is in. I pushed the change straight to main."},
    {"role": "User", "content": "No, don't push to main. Open a pull request and let me review it."},
    {"role": "Assistant", "content": "Done, the pull request is open."},
]
RETOLD = [
    {"role": "Assistant", "content": "I pushed the change directly to the main branch."},
    {
        "role": "User",
        "content": "Never push directly to main. Always open a pull request so that somebody can review it.",
    },
    {"role": "Assistant", "content": "Understood."},
]
TRIGGER = "A change is ready to be merged"
CONTENT = "Open a pull request and wait for a review."


def publish(world: World, user: str, turns: list[dict[str, Any]] | None = None, **extra: Any) -> str:
    """The id of the request under which the turns were stored."""
    answer = world.client.publish_interaction(
        user_id=user,
        session_id=extra.pop("session_id", f"session of {user}"),
        agent_version=extra.pop("agent_version", VERSION),
        interactions=turns or [{"role": "User", "content": "hello there"}],
        **extra,
    )
    if not answer.success or answer.request_id is None:
        raise AssertionError(f"publish failed: {answer}")
    return answer.request_id


def turns_of(world: World, user: str) -> list[str]:
    """The user's turns, oldest first."""
    found = world.client.get_interactions(user_id=user, top_k=100)
    return [turn.content for turn in reversed(found.interactions)]


def teach(world: World, user: str, version: str, turns: list[dict[str, Any]] | None = None) -> list[Any]:
    """The rules that came out of a conversation with a correction."""
    request_id = publish(
        world, user, turns or LESSON, agent_version=version, force_extraction=True, skip_aggregation=True
    )
    until(
        lambda: world.client.get_learning_status(request_id) == "done",
        "learning from the conversation is done",
    )
    rules = user_rules(world, user_id=user)
    if not rules:
        raise AssertionError("the correction taught no rule")
    return rules


def user_rules(world: World, **query: Any) -> list[Any]:
    return world.client.get_user_playbooks(**query).user_playbooks


def agent_rules(world: World, **query: Any) -> list[Any]:
    """Past the client's own cache."""
    return world.client.get_agent_playbooks(force_refresh=True, **query).agent_playbooks


def add_user_rule(world: World, user: str, version: str = VERSION, **fields: Any) -> Any:
    answer = world.client.add_user_playbook(
        [
            {
                "user_id": user,
                "agent_version": version,
                "request_id": f"request of {user}",
                "trigger": TRIGGER,
                "content": CONTENT,
                **fields,
            }
        ]
    )
    if not answer.success or answer.added_count != 1:
        raise AssertionError(f"add_user_playbook failed: {answer}")
    return user_rules(world, user_id=user)[0]


def add_agent_rule(world: World, version: str, **fields: Any) -> Any:
    answer = world.client.add_agent_playbooks(
        [
            {
                "agent_version": version,
                "trigger": TRIGGER,
                "content": CONTENT,
                "playbook_status": "pending",
                "playbook_metadata": "",
                **fields,
            }
        ]
    )
    if not answer.success or answer.added_count != 1:
        raise AssertionError(f"add_agent_playbooks failed: {answer}")
    return agent_rules(world, agent_version=version)[0]
