"""Turns, requests and sessions: published, read, searched, deleted."""

import asyncio
import time

from harness import World, case, equal, refused, until

from .seeds import LESSON, VERSION, publish, turns_of, user_rules


@case("publish_interaction")
def publishes(world: World) -> str:
    user = world.name("ada")
    answer = world.client.publish_interaction(
        user_id=user,
        session_id="compat",
        source="zendesk",
        interactions=[
            {"role": "User", "content": "first", "Contents": "a slip"},
            {"role": "User", "content": "   "},
            {"role": "Assistant", "content": "second", "tools_used": [{"tool_name": "lookup"}]},
        ],
    )
    equal(answer.success, True, "success")
    equal(answer.learning_status, "deferred", "learning_status")
    equal(turns_of(world, user), ["first", "second"], "the turns")
    if not any("Contents" in warning for warning in answer.warnings):
        raise AssertionError(f"no warning names the unknown key: {answer.warnings}")
    # The client refuses such a list itself, so it is sent as it is.
    empty = {"user_id": user, "session_id": "compat", "interaction_data_list": [{"role": "User"}]}
    refused(
        lambda: world.client._make_request("POST", "/api/publish_interaction", json=empty),
        422,
        "nothing but empty turns",
    )
    return "two of three turns read back, the empty one and the unknown key named"


@case("publish_interaction", "wait")
def publishes_and_waits(world: World) -> str:
    user = world.name("ada")
    answer = world.client.publish_interaction(
        user_id=user,
        session_id="compat",
        agent_version=VERSION,
        interactions=LESSON,
        force_extraction=True,
        wait_for_response=True,
    )
    equal(answer.learning_status, "done", "learning_status")
    equal(answer.playbooks_added, len(user_rules(world, user_id=user)), "playbooks_added")
    return f"{answer.playbooks_added} rule learned before the answer"


@case("publish_interaction_async")
def publishes_async(world: World) -> str:
    user = world.name("ada")
    answer = asyncio.run(
        world.client.publish_interaction_async(
            user_id=user, session_id="compat", interactions=[{"role": "User", "content": "awaited"}]
        )
    )
    equal(answer.success, True, "success")
    equal(turns_of(world, user), ["awaited"], "the turns")
    return "the awaited turn read back"


@case("publish_interaction_async", "wait")
def publishes_async_and_waits(world: World) -> str:
    user = world.name("ada")
    answer = asyncio.run(
        world.client.publish_interaction_async(
            user_id=user,
            session_id="compat",
            interactions=[{"role": "User", "content": "below the window"}],
            wait_for_response=True,
        )
    )
    equal(answer.learning_status, "deferred", "learning_status")
    equal(turns_of(world, user), ["below the window"], "the turns")
    return "answers deferred at once: only new turns complete the window"


@case("get_learning_status")
def learning_status(world: World) -> str:
    request_id = publish(world, world.name("ada"), force_extraction=True)
    until(lambda: world.client.get_learning_status(request_id) == "done", "learning is done")
    refused(lambda: world.client.get_learning_status("nobody-knows"), 404, "an unknown request")
    return "pending until done; 404 for an unknown request"


@case("get_interactions")
def reads_interactions(world: World) -> str:
    user = world.name("ada")
    publish(world, user, [{"role": "User", "content": f"turn {at}"} for at in range(3)])
    found = world.client.get_interactions(user_id=user, top_k=2).interactions
    equal([turn.content for turn in found], ["turn 2", "turn 1"], "the newest two")
    equal({turn.user_id for turn in found}, {user}, "their user")
    return "the newest two of three"


@case("get_all_interactions")
def reads_all_interactions(world: World) -> str:
    users = [world.name("ada"), world.name("ben")]
    for user in users:
        publish(world, user, [{"role": "User", "content": f"from {user}"}])
    found = world.client.get_all_interactions(limit=2).interactions
    equal([turn.user_id for turn in found], [users[1], users[0]], "the newest two users")
    return "the newest of two users"


@case("search_interactions")
def searches_interactions(world: World) -> str:
    user = world.name("ada")
    publish(
        world,
        user,
        [{"role": "User", "content": "where is my parcel"}, {"role": "User", "content": "a voucher expired"}],
    )
    found = world.client.search_interactions(user_id=user, query="vouchers", top_k=5).interactions
    equal([turn.content for turn in found], ["a voucher expired"], "what the word finds")
    return "found by a word's stem"


@case("get_requests")
def reads_requests(world: World) -> str:
    user = world.name("ada")
    ids = [
        publish(world, user, [{"role": "User", "content": f"call {at}"}], session_id=f"{user}-session")
        for at in range(2)
    ]
    answer = world.client.get_requests(session_id=f"{user}-session")
    (session,) = answer.sessions
    equal(
        sorted(entry.request.request_id for entry in session.requests), sorted(ids), "the session's requests"
    )
    equal(sum(len(entry.interactions) for entry in session.requests), 2, "its turns")
    equal(answer.has_more, False, "has_more")
    return "one session with two requests and their turns"


@case("delete_interaction")
def deletes_interaction(world: World) -> str:
    user = world.name("ada")
    publish(world, user, [{"role": "User", "content": "stays"}, {"role": "User", "content": "goes"}])
    newest = world.client.get_interactions(user_id=user).interactions[0]
    answer = world.client.delete_interaction(user, newest.interaction_id, wait_for_response=True)
    equal(answer.success, True, "success")
    equal(turns_of(world, user), ["stays"], "what is left")
    return "one of two is left"


@case("delete_interaction", "background")
def deletes_interaction_in_background(world: World) -> str:
    user = world.name("ada")
    publish(world, user, [{"role": "User", "content": "goes"}])
    turn = world.client.get_interactions(user_id=user).interactions[0]
    world.in_background(lambda: world.client.delete_interaction(user, turn.interaction_id))
    equal(turns_of(world, user), [], "what is left")
    return "nothing is left"


@case("delete_request")
def deletes_request(world: World) -> str:
    user = world.name("ada")
    request_id = publish(world, user)
    answer = world.client.delete_request(request_id, wait_for_response=True)
    equal(answer.success, True, "success")
    equal(turns_of(world, user), [], "what is left")
    return "its turns went with it"


@case("delete_request", "background")
def deletes_request_in_background(world: World) -> str:
    user = world.name("ada")
    request_id = publish(world, user)
    world.in_background(lambda: world.client.delete_request(request_id))
    equal(turns_of(world, user), [], "what is left")
    return "its turns went with it"


@case("delete_session")
def deletes_session(world: World) -> str:
    user = world.name("ada")
    for _ in range(2):
        publish(world, user, session_id=f"{user}-session")
    answer = world.client.delete_session(f"{user}-session", wait_for_response=True)
    equal(answer.deleted_requests_count, 2, "deleted_requests_count")
    equal(turns_of(world, user), [], "what is left")
    return "both of its requests are gone"


@case("delete_session", "background")
def deletes_session_in_background(world: World) -> str:
    user = world.name("ada")
    publish(world, user, session_id=f"{user}-session")
    world.in_background(lambda: world.client.delete_session(f"{user}-session"))
    equal(turns_of(world, user), [], "what is left")
    return "its request is gone"


@case("delete_requests_by_ids")
def deletes_requests_by_ids(world: World) -> str:
    user = world.name("ada")
    ids = [publish(world, user) for _ in range(2)]
    answer = world.client.delete_requests_by_ids([*ids, "nobody-knows"])
    equal(answer.deleted_count, 2, "deleted_count")
    equal(turns_of(world, user), [], "what is left")
    return "two of three ids existed and are gone"


@case("mark_session_outcome")
def marks_outcome(world: World) -> str:
    user = world.name("ada")
    session = f"{user}-session"
    publish(world, user, session_id=session)
    mark = {"session_id": session, "outcome": "success", "occurred_at": int(time.time()), "label": "sold"}
    equal(world.client.mark_session_outcome(**mark).recorded, True, "recorded")
    again = world.client.mark_session_outcome(**mark)
    equal((again.success, again.recorded), (True, False), "the same outcome again")
    other = world.client.mark_session_outcome(**{**mark, "outcome": "failure"})
    equal(other.success, False, "another outcome for the same session")
    unknown = world.client.mark_session_outcome(**{**mark, "session_id": "nobody-knows"})
    equal(unknown.success, False, "an unknown session")
    return "recorded once; the same again changes nothing, another is refused"


@case("get_session_outcomes")
def reads_outcomes(world: World) -> str:
    user = world.name("ada")
    session = f"{user}-session"
    publish(world, user, session_id=session)
    now = int(time.time())
    marked = world.client.mark_session_outcome(
        session_id=session, outcome="failure", occurred_at=now, value=0.5, metadata={"order": 7}
    )
    equal(marked.recorded, True, f"recorded ({marked.reason})")
    (found,) = world.client.get_session_outcomes(session_ids=[session]).session_outcomes
    equal(
        (found.user_id, found.outcome, found.occurred_at, found.value, found.metadata),
        (user, "failure", now, 0.5, {"order": 7}),
        "the outcome",
    )
    equal(world.client.get_session_outcomes(user_id=user, outcome="success").session_outcomes, [], "others")
    return "read back by its session, and not under another outcome"
