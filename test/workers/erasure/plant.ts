/** Plants a user's words through every public door, and wherever failures, caches and people put them. */
import { enqueue } from "../../../src/db/outbox";
import { insertAgentPlaybooks, insertSources } from "../../../src/playbooks/store";
import { db } from "../learning/support";
import { aggregate, type Markers, OTHER, VERSION, VICTIM, type World, workOff } from "./support";

/** A picture of one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export interface Planted {
  /** Of the victim. */
  interactionIds: number[];
  userPlaybookIds: number[];
  sessionId: string;
  requestId: string;
  /** Approved rules of agents: from the victim alone, and from others as well. */
  ownAgent: number;
  sharedAgent: number;
  /** Approved, with a source of the victim's and not one word of theirs. */
  cleanAgent: number;
}

const OWN_AGENT = 9_001;
const SHARED_AGENT = 9_002;
const CLEAN_AGENT = 9_003;
const REJECTED_AGENT = 9_004;
const OLD_AGENT = 9_005;

/** What everybody says. */
const COMMON = "Open a pull request before merging.";

async function publishEveryField(world: World, markers: Markers, sessionId: string, requestId: string) {
  const m = () => markers.next();
  await world.ok(
    "POST",
    "/api/publish_interaction",
    {
      user_id: VICTIM,
      session_id: sessionId,
      request_id: requestId,
      source: m(),
      agent_version: VERSION,
      retrieval_experiment_id: m(),
      retrieval_experiment_arm: "treatment",
      force_extraction: true,
      [m()]: m(),
      interaction_data_list: [
        ...Array.from({ length: 6 }, () => ({
          role: m(),
          content: `${m()} asked about ${m()} and ${m()}`,
          shadow_content: m(),
          expert_content: "",
          user_action: "click",
          user_action_description: m(),
          interacted_image_url: `https://pictures.example.com/${m()}.png`,
          tools_used: [{ tool_name: m(), tool_data: { [m()]: { deep: [m()] } }, status: m() }],
          citations: [{ kind: "agent_playbook", real_id: String(CLEAN_AGENT), tag: m(), title: m() }],
          retrieved_learnings: [{ kind: "user_playbook", learning_id: m() }],
          [m()]: m(),
        })),
        { role: "User", content: m(), image_encoding: PNG },
        { role: "User", content: `RULE When ${m()} is asked for | Send ${m()} to ${m()} first` },
        { role: "User", content: `RULE When ${m()} breaks | Call ${m()} and wait` },
      ],
    },
    { "idempotency-key": "publish-once" },
  );
}

const rulesOf = async (world: World, userId: string): Promise<number[]> => {
  const { user_playbooks } = await world.ok("POST", "/api/get_user_playbooks", {
    user_id: userId,
    limit: 1000,
  });
  return (user_playbooks as { user_playbook_id: number }[]).map((rule) => rule.user_playbook_id);
};

/** Rules of agents as aggregation leaves them, each a version further after a person's decision and edit. */
async function plantAgents(world: World, markers: Markers, taught: string, mine: number[], others: number[]) {
  const { orgId } = world.tenant;
  const m = () => markers.next();
  const row = (agentPlaybookId: number, content: string, playbookStatus: "approved" | "rejected") => ({
    orgId,
    agentPlaybookId,
    agentVersion: VERSION,
    playbookName: "playbook",
    createdAt: 1_900_000_000,
    updatedAtMs: 1_900_000_000_000,
    content,
    trigger: "When merging",
    rationale: null,
    playbookStatus,
    playbookMetadata: "",
    status: null,
    tags: null,
    expandedTerms: null,
    flags: [],
    decidedBy: null,
    decidedAt: null,
    replaces: null,
  });
  const sources = (ids: readonly number[]) =>
    ids.map((userPlaybookId) => ({ userPlaybookId, sourceInteractionIds: [1] }));
  const rules: [number, string, "approved" | "rejected", number[]][] = [
    [OWN_AGENT, `Always call ${m()} about ${m()}`, "approved", mine],
    [SHARED_AGENT, `${COMMON} Ask ${taught}.`, "approved", [...mine, ...others]],
    [CLEAN_AGENT, COMMON, "approved", [...mine, ...others]],
    [REJECTED_AGENT, `Never call ${m()}`, "rejected", mine],
    [OLD_AGENT, `Sometimes call ${m()}`, "approved", mine],
  ];
  for (const [id, content, status, from] of rules) {
    await db.batch([
      ...insertAgentPlaybooks([row(id, content, status)]),
      ...insertSources(orgId, id, sources(from)),
    ]);
  }
  // A tombstone that a merge left, and a text that only the journal of decisions holds.
  await db.run({
    text: "UPDATE agent_playbooks SET status = 'merged', merged_into = ? WHERE org_id = ? AND agent_playbook_id = ?",
    params: [OWN_AGENT, orgId, OLD_AGENT],
  });
  for (const id of [SHARED_AGENT, CLEAN_AGENT]) {
    for (const content of [
      `Formerly ${m()}`,
      id === CLEAN_AGENT ? `${COMMON} Reviewers insist.` : `${COMMON} Ask ${taught}.`,
    ]) {
      await world.ok("PUT", "/api/update_agent_playbook", { agent_playbook_id: id, content });
    }
  }
}

export async function plant(world: World, markers: Markers): Promise<Planted> {
  const m = () => markers.next();
  const [sessionId, requestId, taught] = [m(), m(), m()];
  await publishEveryField(world, markers, sessionId, requestId);
  await workOff(world);

  await world.ok("POST", "/api/publish_interaction", {
    ...{ user_id: OTHER, session_id: "other-session", request_id: "other-request", agent_version: VERSION },
    interaction_data_list: [{ role: "User", content: COMMON }],
  });
  const added = (userId: string) => ({
    ...{ user_id: userId, agent_version: VERSION, content: COMMON, trigger: "When merging" },
    request_id: userId === VICTIM ? m() : "r",
  });
  await world.ok("POST", "/api/add_user_playbook", { user_playbooks: [added(OTHER), added("third")] });
  await world.ok("POST", "/api/add_user_playbook", {
    user_playbooks: Array.from({ length: 8 }, (_, position) => ({
      ...{ user_id: VICTIM, agent_version: VERSION, request_id: m(), playbook_name: m() },
      ...{
        content: `Mind ${position === 0 ? taught : m()} and ${m()}`,
        trigger: `When ${m()}`,
        rationale: m(),
      },
      ...{ source: m(), source_span: m(), tags: [m()] },
    })),
  });
  await world.ok("POST", "/api/add_user_playbook", { user_playbooks: [added(VICTIM)] });
  await workOff(world);
  await aggregate(world);
  await workOff(world);

  const [mine, others] = [await rulesOf(world, VICTIM), await rulesOf(world, OTHER)];
  await plantAgents(world, markers, taught, mine, others);
  await workOff(world);
  const { interactions } = await world.ok("POST", "/api/get_interactions", { user_id: VICTIM });
  const interactionIds = (interactions as { interaction_id: number }[]).map((turn) => turn.interaction_id);

  // Searches that are remembered, and answers that are kept.
  for (const path of ["/api/search", "/api/context", "/api/search_interactions"]) {
    await world.ok(
      "POST",
      path,
      { query: `${markers.all[5]} merging`, user_id: VICTIM, agent_version: VERSION, session_id: sessionId },
      { "idempotency-key": `once-${path}` },
    );
  }
  await world.ok("POST", "/api/rule_feedback", {
    ...{ kind: "user_playbook", id: mine[0], verdict: "harmful", interaction_id: interactionIds[0] },
  });

  // What people did about the user.
  const target = { kind: "interaction", user_id: VICTIM, interaction_ids: [interactionIds[0]] };
  const { token } = await world.ok("POST", "/api/revocations/preview", target);
  await world.ok("POST", "/api/revocations", { ...target, reason: `${m()} typed this`, token });
  await workOff(world);
  // A reviewer looked at what the revocation sent back, and lets it stand.
  for (const id of [OWN_AGENT, SHARED_AGENT, CLEAN_AGENT]) {
    await world.ok("PUT", "/api/update_agent_playbook_status", {
      agent_playbook_id: id,
      playbook_status: "approved",
    });
  }
  const forgottenSession = m();
  const publish = (session: string, content: string, more = {}) =>
    world.ok("POST", "/api/publish_interaction", {
      ...{ user_id: VICTIM, session_id: session, request_id: m(), agent_version: VERSION, ...more },
      interaction_data_list: Array.from({ length: 12 }, () => ({
        role: "User",
        content: `${content} ${m()}`,
        citations: [{ kind: "agent_playbook", real_id: String(CLEAN_AGENT), tag: m(), title: m() }],
      })),
    });
  await publish(forgottenSession, "soon gone");
  await world.ok("DELETE", "/api/delete_session", { session_id: forgottenSession });
  await workOff(world);

  // Work that failed, work that waits, and a lease that was left behind.
  world.fails.isOn = true;
  await publish(m(), "this fails", { force_extraction: true });
  await workOff(world);
  world.fails.isOn = false;
  await publish(m(), "this waits", { force_extraction: true });
  for (const session of Array.from({ length: 4 }, m)) await publish(session, "more of it");
  const waiting = await enqueue({
    ...{ orgId: world.tenant.orgId, topic: "tagging", key: [VICTIM, VERSION], cause: "planted", nowMs: 1 },
  });
  await db.batch([
    waiting.statement,
    {
      text: "INSERT INTO leases (org_id, key, owner, fence, expires_at_ms) VALUES (?, ?, 'x', 1, 1)",
      params: [world.tenant.orgId, `tagging:${JSON.stringify([VICTIM, VERSION])}`],
    },
    {
      text: `INSERT INTO dead_letters (org_id, dead_letter_id, topic, key, reason, message, attempts, created_at)
        VALUES (?, 'dead_planted', 'tagging', ?, 'unusable', 'It ended too soon.', 1, 1)`,
      params: [world.tenant.orgId, JSON.stringify([VICTIM, VERSION])],
    },
    {
      text: `INSERT INTO generation_operations (org_id, service_name, operation_id, mode, status, agent_version, config_hash,
          request_id, principal_id, started_at, progressed_at_ms, total_users, processed_users, failed_users,
          cancelled_users, current_user_id, turns, rules)
        VALUES (?, 'planted', 'gen_planted', 'rerun', 'completed', ?, 'h', 'r', 'p', 1, 1, 1, 1, 0, 0, ?, 0, 0)`,
      params: [world.tenant.orgId, VERSION, VICTIM],
    },
    {
      text: `INSERT INTO generation_units (org_id, operation_id, position, user_id, state, attempts)
        VALUES (?, 'gen_planted', 1, ?, 'done', 1)`,
      params: [world.tenant.orgId, VICTIM],
    },
    {
      text: `INSERT INTO session_outcomes (org_id, session_id, user_id, source, outcome, occurred_at, label, metadata,
          principal_id, created_at) VALUES (?, ?, ?, 's', 'success', 1, ?, ?, 'p', 1)`,
      params: [world.tenant.orgId, m(), VICTIM, m(), JSON.stringify({ note: m() })],
    },
    {
      text: `INSERT INTO aggregation_outcomes (org_id, outcome_id, agent_version, outcome, created_at_ms)
        VALUES (?, 'out_planted', ?, ?, 1)`,
      params: [world.tenant.orgId, VERSION, JSON.stringify({ content: m() })],
    },
  ]);
  return {
    ...{ interactionIds, userPlaybookIds: mine, sessionId, requestId },
    ...{ ownAgent: OWN_AGENT, sharedAgent: SHARED_AGENT, cleanAgent: CLEAN_AGENT },
  };
}
