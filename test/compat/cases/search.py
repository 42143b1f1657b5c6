"""Search over rules: of users, of agents, of both."""

import asyncio

from harness import World, case, equal, until

from .seeds import add_agent_rule, add_user_rule

QUERY = "The quokka wants to be fed"


def plant(world: World, user: str, version: str) -> None:
    add_user_rule(world, user, version, trigger="A quokka is hungry", content="Feed it leaves.")
    add_user_rule(world, user, version, trigger="An invoice is late", content="Send one reminder.")


@case("search_user_playbooks")
def searches_user_rules(world: World) -> str:
    user, version = world.name("ada"), world.name("version")
    plant(world, user, version)

    def found() -> list[str]:
        answer = world.client.search_user_playbooks(query=QUERY, user_id=user, agent_version=version, top_k=1)
        return [rule.content for rule in answer.user_playbooks]

    equal(until(found, "the rule is found"), ["Feed it leaves."], "the best rule")
    other = world.client.search_user_playbooks(query=QUERY, user_id="nobody", agent_version=version)
    equal(other.user_playbooks, [], "somebody else's")
    return "the rule that fits comes first; nobody else's"


@case("search_agent_playbooks")
def searches_agent_rules(world: World) -> str:
    version = world.name("version")
    add_agent_rule(world, version, trigger="A quokka is hungry", content="Feed it leaves.")
    add_agent_rule(
        world, version, trigger="A quokka wants food", content="Feed it twice.", playbook_status="approved"
    )

    def found(**query: str) -> set[str]:
        answer = world.client.search_agent_playbooks(query=QUERY, agent_version=version, **query)
        return {rule.content for rule in answer.agent_playbooks}

    until(lambda: found() == {"Feed it leaves.", "Feed it twice."}, "both are found")
    equal(found(playbook_status_filter="approved"), {"Feed it twice."}, "the approved one")
    return "both, and only the approved one where that is asked"


@case("search")
def searches_all(world: World) -> str:
    user, version = world.name("ada"), world.name("version")
    plant(world, user, version)
    add_agent_rule(world, version, trigger="A quokka is thirsty", content="Give it water.")

    def found() -> bool:
        answer = world.client.search(query=QUERY, user_id=user, agent_version=version, top_k=1)
        return (
            [rule.content for rule in answer.user_playbooks] == ["Feed it leaves."]
            and [rule.content for rule in answer.agent_playbooks] == ["Give it water."]
            and answer.profiles == []
        )

    until(found, "one rule of each kind is found")
    only = world.client.search(
        query=QUERY, user_id=user, agent_version=version, entity_types=["agent_playbooks"]
    )
    equal(only.user_playbooks, [], "the kind that was not asked for")
    return "one rule of each kind, and only the kind that is asked for"


@case("search_async")
def searches_all_async(world: World) -> str:
    user, version = world.name("ada"), world.name("version")
    plant(world, user, version)

    def found() -> list[str]:
        answer = asyncio.run(
            world.client.search_async(query=QUERY, user_id=user, agent_version=version, top_k=1)
        )
        return [rule.content for rule in answer.user_playbooks]

    equal(until(found, "the rule is found"), ["Feed it leaves."], "the best rule")
    return "the awaited answer holds the rule that fits"


@case("storage_stats")
def storage_stats(world: World) -> str:
    user = world.name("ada")
    plant(world, user, world.name("version"))
    stats = world.client.storage_stats(user)
    equal((stats.playbook_count, stats.profile_count), (2, 0), "counts")
    equal(world.client.storage_stats("nobody").playbook_count, 0, "nobody's")
    return "two rules counted, none for nobody"
