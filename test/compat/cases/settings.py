"""Who one is, and the org's settings."""

from harness import World, case, equal, refused


@case("whoami")
def whoami(world: World) -> str:
    answer = world.client.whoami()
    equal((answer.success, answer.storage_configured), (True, True), "success and storage")
    if world.key == "":
        equal(answer.org_id, "self-host-org", "the open org")
    return "an org with storage"


@case("get_my_config")
def my_config(world: World) -> str:
    answer = world.client.get_my_config()
    equal((answer.success, answer.storage_config), (False, None), "closed")
    return "closed: success:false, no secret"


@case("get_config")
def reads_config(world: World) -> str:
    config = world.client.get_config()
    if not 1 <= config.stride_size <= config.window_size:
        raise AssertionError(f"stride {config.stride_size} of window {config.window_size}")
    return f"window {config.window_size}, stride {config.stride_size}"


@case("set_config")
def sets_config(world: World) -> str:
    before = world.client.get_config()
    answer = world.client.set_config(before.model_copy(update={"window_size": 12, "stride_size": 9}))
    equal(answer.get("success"), True, f"success ({answer})")
    after = world.client.get_config()
    equal((after.window_size, after.stride_size), (12, 9), "window and stride")
    equal(after.user_playbook_extractor_config, before.user_playbook_extractor_config, "the extractor")
    equal(world.client.set_config(before).get("success"), True, "success of setting it back")
    equal(world.client.get_config().window_size, before.window_size, "the window set back")
    return "the object that was read, changed and written whole"


@case("update_config")
def updates_config(world: World) -> str:
    before = world.client.get_config()
    equal(world.client.update_config({"window_size": 14}).get("success"), True, "success")
    after = world.client.get_config()
    equal((after.window_size, after.stride_size), (14, before.stride_size), "window and stride")
    refused(lambda: world.client.update_config({"no_such_field": 1}), 422, "an unknown field")
    refused(lambda: world.client.update_config({"stride_size": 99}), 422, "a stride above the window")
    world.client.update_config({"window_size": before.window_size})
    return "one field changed, the others kept; an unknown one is refused"


@case("invalidate_cache")
def invalidates_cache(world: World) -> str:
    org = world.client.whoami().org_id
    answer = world.client.invalidate_cache(org)
    equal(answer.get("org_id"), org, "org_id")
    refused(lambda: world.client.invalidate_cache("somebody-else"), 403, "another org")
    return "its own org; another's is refused"
