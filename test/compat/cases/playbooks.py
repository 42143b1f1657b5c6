"""Rules of users and of agents: added, read, changed, decided, deleted."""

from harness import World, case, equal, refused

from .seeds import CONTENT, TRIGGER, add_agent_rule, add_user_rule, agent_rules, user_rules


@case("add_user_playbook")
def adds_user_rule(world: World) -> str:
    rule = add_user_rule(world, world.name("ada"), rationale="said so", playbook_name="merging")
    equal((rule.trigger, rule.content, rule.rationale), (TRIGGER, CONTENT, "said so"), "the rule")
    return "its words read back"


@case("get_user_playbooks")
def reads_user_rules(world: World) -> str:
    user = world.name("ada")
    for at in range(3):
        add_user_rule(world, user, content=f"Rule {at}.")
    found = user_rules(world, user_id=user, limit=2)
    equal([rule.content for rule in found], ["Rule 2.", "Rule 1."], "the newest two")
    one = user_rules(world, user_playbook_id=found[0].user_playbook_id)
    equal([rule.content for rule in one], ["Rule 2."], "the one asked for")
    equal(user_rules(world, user_id=user, agent_version="another"), [], "another version's")
    equal(len(user_rules(world, user_id=user, status_filter=[None])), 3, "the current ones")
    return "by user, id, version and status"


@case("update_user_playbook")
def updates_user_rule(world: World) -> str:
    user = world.name("ada")
    rule = add_user_rule(world, user)
    answer = world.client.update_user_playbook(rule.user_playbook_id, content="Ask first.")
    equal(answer.success, True, "success")
    (changed,) = user_rules(world, user_id=user)
    equal((changed.trigger, changed.content), (TRIGGER, "Ask first."), "the changed rule")
    unknown = world.client.update_user_playbook(999_999_999, content="x")
    equal(unknown.success, False, "an unknown rule")
    return "one field changed, the others kept; an unknown id is success:false"


@case("delete_user_playbook")
def deletes_user_rule(world: World) -> str:
    user = world.name("ada")
    rule = add_user_rule(world, user)
    answer = world.client.delete_user_playbook(rule.user_playbook_id, wait_for_response=True)
    equal(answer.success, True, "success")
    equal(user_rules(world, user_id=user), [], "what is left")
    return "nothing is left"


@case("delete_user_playbook", "background")
def deletes_user_rule_in_background(world: World) -> str:
    user = world.name("ada")
    rule = add_user_rule(world, user)
    world.in_background(lambda: world.client.delete_user_playbook(rule.user_playbook_id))
    equal(user_rules(world, user_id=user), [], "what is left")
    return "nothing is left"


@case("delete_user_playbooks_by_ids")
def deletes_user_rules_by_ids(world: World) -> str:
    user = world.name("ada")
    ids = [add_user_rule(world, user, content=f"Rule {at}.").user_playbook_id for at in range(3)]
    answer = world.client.delete_user_playbooks_by_ids([*ids[:2], 999_999_999])
    equal((answer.success, answer.deleted_count), (True, 2), "success and deleted_count")
    equal([rule.user_playbook_id for rule in user_rules(world, user_id=user)], ids[2:], "what is left")
    return "two of three ids existed; the third rule is left"


@case("add_agent_playbooks")
def adds_agent_rule(world: World) -> str:
    rule = add_agent_rule(world, world.name("version"), rationale="two users said so")
    equal((rule.trigger, rule.content, rule.playbook_status), (TRIGGER, CONTENT, "pending"), "the rule")
    return "its words read back"


@case("get_agent_playbooks")
def reads_agent_rules(world: World) -> str:
    version = world.name("version")
    first = add_agent_rule(world, version, content="First.")
    add_agent_rule(world, version, content="Second.", playbook_status="approved")
    equal(len(agent_rules(world, agent_version=version)), 2, "the version's rules")
    approved = agent_rules(world, agent_version=version, playbook_status_filter="approved")
    equal([rule.content for rule in approved], ["Second."], "the approved one")
    one = agent_rules(world, agent_playbook_id=first.agent_playbook_id)
    equal([rule.content for rule in one], ["First."], "the one asked for")
    cached = world.client.get_agent_playbooks(agent_version=version)
    equal(len(cached.agent_playbooks), 2, "from the client's cache")
    return "by version, id and approval"


@case("update_agent_playbook")
def updates_agent_rule(world: World) -> str:
    version = world.name("version")
    rule = add_agent_rule(world, version)
    answer = world.client.update_agent_playbook(rule.agent_playbook_id, content="Ask first.")
    equal(answer.success, True, "success")
    (changed,) = agent_rules(world, agent_version=version)
    equal((changed.trigger, changed.content), (TRIGGER, "Ask first."), "the changed rule")
    unknown = world.client.update_agent_playbook(999_999_999, content="x")
    equal(unknown.success, False, "an unknown rule")
    return "one field changed, the others kept; an unknown id is success:false"


@case("update_agent_playbook_status")
def decides_agent_rule(world: World) -> str:
    version = world.name("version")
    rule = add_agent_rule(world, version)
    for status in ("approved", "rejected", "pending", "approved"):
        answer = world.client.update_agent_playbook_status(rule.agent_playbook_id, playbook_status=status)
        equal(answer.success, True, f"success of {status}")
        equal(
            [found.playbook_status for found in agent_rules(world, agent_version=version)], [status], "status"
        )
    unknown = world.client.update_agent_playbook_status(999_999_999, playbook_status="approved")
    equal(unknown.success, False, "an unknown rule")
    return "approved, rejected, pending and approved again"


@case("delete_agent_playbook")
def deletes_agent_rule(world: World) -> str:
    version = world.name("version")
    rule = add_agent_rule(world, version)
    answer = world.client.delete_agent_playbook(rule.agent_playbook_id, wait_for_response=True)
    equal(answer.success, True, "success")
    equal(agent_rules(world, agent_version=version), [], "what is left")
    return "nothing is left"


@case("delete_agent_playbook", "background")
def deletes_agent_rule_in_background(world: World) -> str:
    version = world.name("version")
    rule = add_agent_rule(world, version)
    world.in_background(lambda: world.client.delete_agent_playbook(rule.agent_playbook_id))
    equal(agent_rules(world, agent_version=version), [], "what is left")
    return "nothing is left"


@case("delete_agent_playbooks_by_ids")
def deletes_agent_rules_by_ids(world: World) -> str:
    version = world.name("version")
    ids = [add_agent_rule(world, version, content=f"Rule {at}.").agent_playbook_id for at in range(3)]
    answer = world.client.delete_agent_playbooks_by_ids(ids[:2])
    equal(answer.success, True, "success")
    equal(
        [rule.agent_playbook_id for rule in agent_rules(world, agent_version=version)],
        ids[2:],
        "what is left",
    )
    refused(
        lambda: world.client._make_request("DELETE", "/api/delete_agent_playbooks_by_ids", json={}),
        422,
        "none",
    )
    return "the third rule is left"
