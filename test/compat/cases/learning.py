"""Learning on demand: reruns, manual generation, versions, review, aggregation."""

from datetime import UTC, datetime, timedelta

from harness import World, case, equal, until

from .seeds import LESSON, RETOLD, agent_rules, publish, teach, user_rules


@case("rerun_playbook_generation")
def reruns(world: World) -> str:
    user, version = world.name("ada"), world.name("version")
    publish(world, user, LESSON, agent_version=version)
    answer = world.client.rerun_playbook_generation(agent_version=version, wait_for_response=True)
    equal((answer.success, answer.playbooks_generated), (True, 1), "success and users worked through")
    pending = user_rules(world, user_id=user, status_filter=["pending"])
    equal(len(pending), 1, "pending rules")
    equal(user_rules(world, user_id=user, status_filter=[None]), [], "current rules")
    return "polled until completed; the rule is pending, nothing is current"


@case("rerun_playbook_generation", "background")
def reruns_in_background(world: World) -> str:
    user, version = world.name("ada"), world.name("version")
    publish(world, user, LESSON, agent_version=version)
    call = world.in_background(lambda: world.client.rerun_playbook_generation(agent_version=version))
    equal(call.answer.get("success"), True, "success")
    until(lambda: user_rules(world, user_id=user, status_filter=["pending"]), "the rule is there")
    return "the pending rule appears"


@case("manual_playbook_generation")
def generates_manually(world: World) -> str:
    user, version = world.name("ada"), world.name("version")
    publish(world, user, LESSON, agent_version=version)
    world.in_background(lambda: world.client.manual_playbook_generation(agent_version=version))
    (rule,) = until(lambda: user_rules(world, user_id=user, status_filter=[None]), "the rule is there")
    equal(rule.agent_version, version, "its version")
    return "the rule is current"


@case("upgrade_user_playbooks")
def upgrades(world: World) -> str:
    user, version = world.name("ada"), world.name("version")
    (current,) = teach(world, user, version)
    nothing = world.client.upgrade_user_playbooks(agent_version=version)
    equal((nothing.success, nothing.user_playbooks_promoted), (False, 0), "with nothing pending")
    world.client.rerun_playbook_generation(agent_version=version, wait_for_response=True)
    answer = world.client.upgrade_user_playbooks(agent_version=version)
    equal(
        (answer.success, answer.user_playbooks_archived, answer.user_playbooks_promoted),
        (True, 1, 1),
        "archived and promoted",
    )
    (promoted,) = user_rules(world, user_id=user, status_filter=[None])
    if promoted.user_playbook_id == current.user_playbook_id:
        raise AssertionError("the rule that was current still is")
    return "the pending rule took the current one's place; with none pending it fails"


@case("review_user_playbooks")
def reviews(world: World) -> str:
    (rule,) = teach(world, world.name("ada"), world.name("version"))
    now = datetime.now(UTC)
    answer = world.client.review_user_playbooks(
        start_time=now - timedelta(minutes=10), end_time=now + timedelta(minutes=10), top_k=100
    )
    equal((answer.success, answer.report_only), (True, True), "success and report_only")
    result = next(found for found in answer.results if found.user_playbook_id == rule.user_playbook_id)
    equal(result.decision, "accept", f"the decision ({result.reason_code})")
    equal(len(user_rules(world, user_playbook_id=rule.user_playbook_id)), 1, "the rule afterwards")
    applied = world.client.review_user_playbooks(
        start_time=now - timedelta(minutes=10), end_time=now + timedelta(minutes=10), report_only=False
    )
    if not applied.success or not applied.run_id or applied.results:
        raise AssertionError(f"apply mode answers its run id and no results: {applied}")
    return "a rule with its evidence is accepted; apply mode answers its run id"


@case("run_playbook_aggregation")
def aggregates(world: World) -> str:
    version = world.name("version")
    skipped = world.client.run_playbook_aggregation(agent_version=version, wait_for_response=True)
    equal((skipped.success, skipped.message.startswith("Skipped")), (True, True), "without rules")
    for turns in (LESSON, RETOLD):
        teach(world, world.name("ada"), version, turns)
    answer = world.client.run_playbook_aggregation(agent_version=version, wait_for_response=True)
    equal(answer.success, True, f"success ({answer.message})")
    (rule,) = agent_rules(world, agent_version=version)
    equal(rule.playbook_status, "pending", "its approval")
    return answer.message


@case("run_playbook_aggregation", "background")
def aggregates_in_background(world: World) -> str:
    version = world.name("version")
    for turns in (LESSON, RETOLD):
        teach(world, world.name("ada"), version, turns)
    world.in_background(lambda: world.client.run_playbook_aggregation(agent_version=version))
    until(lambda: agent_rules(world, agent_version=version), "the agent's rule is there")
    return "the agent's rule appears"
