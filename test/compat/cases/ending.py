"""What deletes everything of a user, or of all: these run last."""

from harness import World, case, equal

from .seeds import add_agent_rule, add_user_rule, agent_rules, publish, teach, turns_of, user_rules


@case("clear_user_data")
def clears_user(world: World) -> str:
    user, other, version = world.name("ada"), world.name("ben"), world.name("version")
    teach(world, user, version)
    publish(world, other)
    rule = add_agent_rule(world, version)
    answer = world.client.clear_user_data(user)
    equal(answer.success, True, f"success ({answer.message})")
    if sum(answer.deleted_counts.values()) < 4:
        raise AssertionError(f"three turns and a rule were there: {answer.deleted_counts}")
    equal((turns_of(world, user), user_rules(world, user_id=user)), ([], []), "what is left of the user")
    equal(len(turns_of(world, other)), 1, "turns of another user")
    kept = [found.agent_playbook_id for found in agent_rules(world, agent_version=version)]
    equal(kept, [rule.agent_playbook_id], "the agent's own rule")
    return f"{answer.deleted_counts}; others and the agent's rule stay"


@case("delete_all_user_playbooks")
def deletes_all_user_rules(world: World) -> str:
    version = world.name("version")
    add_user_rule(world, world.name("ada"))
    add_agent_rule(world, version)
    answer = world.client.delete_all_user_playbooks()
    equal(answer.success, True, "success")
    equal(user_rules(world), [], "rules of users")
    equal(len(agent_rules(world, agent_version=version)), 1, "rules of agents")
    return "none of users, those of agents stay"


@case("delete_all_agent_playbooks")
def deletes_all_agent_rules(world: World) -> str:
    user = world.name("ada")
    add_user_rule(world, user)
    add_agent_rule(world, world.name("version"))
    answer = world.client.delete_all_agent_playbooks()
    equal(answer.success, True, "success")
    equal(agent_rules(world), [], "rules of agents")
    equal(len(user_rules(world, user_id=user)), 1, "rules of users")
    return "none of agents, those of users stay"


@case("delete_all_playbooks")
def deletes_all_rules(world: World) -> str:
    add_user_rule(world, world.name("ada"))
    add_agent_rule(world, world.name("version"))
    equal(world.client.delete_all_playbooks().success, True, "success")
    equal((agent_rules(world), user_rules(world)), ([], []), "what is left")
    return "none of either kind"


@case("delete_all_interactions")
def deletes_all_turns(world: World) -> str:
    publish(world, world.name("ada"))
    equal(world.client.delete_all_interactions().success, True, "success")
    equal(world.client.get_all_interactions().interactions, [], "turns")
    equal(world.client.get_requests().sessions, [], "sessions")
    return "no turn and no session"
