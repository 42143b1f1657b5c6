/**
 * What the fields of requests mean. A name means the same on every route; where it does not, the route's path
 * stands before it. A schema's own description wins.
 */

const RULE_TEXTS = {
  content: "What to do. The rule itself.",
  trigger: "When the rule holds.",
  rationale: "Why it holds.",
  tags: "Labels to narrow by; a rule must carry one of them.",
};

const SEARCHING = {
  query: "What to look for, in words of its own.",
  top_k: "How many hits at most.",
  threshold:
    "Least cosine similarity of hits by meaning, 0 to 1. Empty: the embedding model's own. Hits by words are never cut.",
  search_mode: "`hybrid` joins words and meaning, `vector` takes meaning alone, `fts` words alone.",
  enable_reformulation: "Lets a model word the query anew first.",
  conversation_history: "Turns before the query, oldest first; they help to word it anew.",
  entity_types: "Which kinds to search. There are no profiles yet: they stay empty.",
  enable_agent_answer: "Accepted and ignored: no answer is written.",
  most_recent_k: "Looks at this many newest turns only.",
};

const FILTERS = {
  start_time: "From this instant on, ISO 8601; without a zone it is UTC.",
  end_time: "Up to this instant, ISO 8601; later than `start_time`.",
  status_filter: "Lifecycle states; null in the list stands for current rules.",
  playbook_status_filter: "Review states of agent playbooks, one or a list; an empty list matches nothing.",
  agent_playbook_status_filter:
    "Review states of agent playbooks, one or a list. Empty: approved and pending.",
  approvals: "Review states of agent playbooks, one or a list. Empty: approved and pending.",
  limit: "How many at most.",
  offset: "How many sessions to skip.",
  before: "Id of the last one of the page before.",
  state: "Which of them.",
  service_name: "`playbook_generation` or `profile_generation`. Empty: all of them, where that can be.",
  days: "How many UTC days, the present one included.",
};

const TURN = {
  interaction_data_list: "The turns, oldest first.",
  role: "Who spoke, such as User or Assistant.",
  shadow_content: "What another version of the agent would have said.",
  expert_content: "What an expert says the agent should have said; learned from with priority.",
  user_action: "What the user did beside speaking.",
  user_action_description: "What the user clicked, scrolled to or typed.",
  interacted_image_url: "Address of an image that the turn is about.",
  image_encoding: "An image, base64. Only its type, length and SHA-256 are kept.",
  tools_used: "Tools that the agent called in this turn.",
  tool_name: "The tool's name.",
  tool_data: "What the tool was given or gave, any JSON.",
  citations: "Rules that the turn cites. A cited rule counts as applied.",
  real_id: "The rule's id.",
  tag: "The citation tag as the turn shows it, such as `ap-12`.",
  title: "A title of the rule, for people.",
  retrieved_learnings: "Rules that the agent was given for this turn.",
  learning_id: "The rule's id.",
  token_count: "Tokens of the turn, for your own counting.",
};

const PUBLISHING = {
  user_id: "Whose conversation or rule it is, by your own id.",
  session_id: "The conversation, by your own id.",
  request_id: "The publish call, by your own id. Use it again for every retry.",
  source: "Where the conversation took place. The settings say from which sources rules are learned.",
  agent_version: "The version of the agent that rules belong to.",
  skip_aggregation: "Rules learned from these turns start no merging.",
  force_extraction: "Learns from the user's turns now, without waiting for a full window.",
  evaluation_only: "Stores the turns and never learns from them.",
  override_learning_stall: "Learns from them although learning of the org is paused.",
  retrieval_experiment_id: "An experiment that the turns belong to; only together with its arm.",
  retrieval_experiment_arm: "The arm of the experiment.",
  wait_for_response: "`true` waits until the turns were learned from, 60 s at most.",
};

const RULES = {
  user_playbooks: "The rules to add.",
  agent_playbooks: "The rules to add.",
  user_playbook_id: "Id of the user playbook.",
  agent_playbook_id: "Id of the agent playbook.",
  playbook_name: "Name of a collection of rules.",
  playbook_status: "Where the rule stands in review. `approved` needs the scope `review`.",
  playbook_metadata: "Free text that stays with the rule.",
  keep_replaced: "Leaves the approved rule that this one would replace in service.",
  status: "Lifecycle state. Empty: current.",
  source_interaction_ids: "Turns that prove the rule.",
  source_span: "The words of the turns that prove it, verbatim.",
  interaction_id: "Id of a turn.",
  interaction_ids: "Ids of turns of the user.",
  request_ids: "Ids of publish calls.",
  decisions: "What to decide, rule by rule.",
  decision: "`keep` takes it into use again, `archive` out of use for good.",
  version: "The version that you saw; another one is not touched.",
  verdict: "What it did for the conversation.",
  kind: "Which kind of rule.",
  reason: "Why, for those who review what it sends back.",
  token: "What the preview answered: proof that its list was seen.",
};

const OUTCOMES = {
  outcome: "How the session ended.",
  occurred_at: "When it ended, in seconds since 1970.",
  label: "A short name of your own for it.",
  value: "A number of your own, such as a score.",
  metadata: "Any JSON object of your own, at most 16,384 bytes.",
  session_ids: "Conversations, by your own ids.",
  days_back: "How many days. Empty: 30.",
};

const SETTING_UP = {
  name: "A name for people.",
  principal_id: "Who the key stands for; decisions and the audit trail carry it.",
  roles: "What the key may do.",
  expires_in_days: "Days until it stops working. Empty: never.",
  key_id: "Id of the key.",
  operation_id: "Id of the operation, as the call that started it answered.",
  url: "Where messages are sent.",
  events: "Which events are told.",
  messages: "The conversation so far, oldest first; in place of `query`.",
  max_tokens: "Longest block, in tokens by an estimate that errs upwards. Empty: 1200.",
  format: "How the block is written. Empty: markdown.",
};

const BY_ROUTE = {
  "/api/publish_interaction content": "What was said.",
  "/api/publish_interaction kind": "Which kind of rule it is.",
  "/api/publish_interaction status": "How the call of the tool ended.",
  "/api/context content": "What was said.",
  "/api/context query": "What the conversation is about; in place of `messages`.",
  "/api/search content": "What was said.",
  "/api/search interaction_id": "The turn that asks, for your own logs.",
  "/api/search/explain content": "What was said.",
  "/api/search/explain agent_version": "The version of the agent. With one the block is made as well.",
  "/api/search session_id": "The conversation. A rule that it was given in the last day is not given again.",
  "/api/search/explain session_id":
    "The conversation. A rule that it was given counts as left out; nothing is noted.",
  "/api/get_user_playbooks query": "Words that the rule must share. Empty: the newest rules.",
  "/api/get_agent_playbooks query": "Words that the rule must share. Empty: the newest rules.",
  "/api/get_interactions top_k": "How many turns at most. Empty: 30.",
  "/api/get_requests top_k": "How many sessions at most. Empty: 30.",
  "/api/rerun_playbook_generation playbook_name": "Accepted and ignored: an org has one collection.",
  "/api/manual_playbook_generation playbook_name": "Accepted and ignored: an org has one collection.",
  "/api/rerun_playbook_generation agent_version":
    "The version whose turns are read and whose rules are made. Empty: agent-v0.",
  "/api/manual_playbook_generation agent_version": "The version whose rules are made. Empty: agent-v0.",
  "/api/rerun_playbook_generation source": "Reads turns of this source only.",
  "/api/manual_playbook_generation source": "Finds users by this source.",
  "/api/get_operation_status service_name": "Whose operation. Empty: `profile_generation`, as in Reflexio.",
  "/api/upgrade_all_user_playbooks agent_version": "Rules of this version only. Empty: of every version.",
  "/api/downgrade_all_user_playbooks agent_version": "Rules of this version only. Empty: of every version.",
  "/api/upgrade_all_user_playbooks playbook_name": "Rules of this name only. Empty: of every name.",
  "/api/downgrade_all_user_playbooks playbook_name": "Rules of this name only. Empty: of every name.",
  "/api/upgrade_all_user_playbooks archive_current":
    "`false` leaves current and archived rules as they are and only promotes.",
  "/api/run_playbook_aggregation playbook_name": "Accepted and ignored: an org has one collection.",
  "/api/revocations kind": "`interaction` revokes some turns of a user, `user` all of them.",
  "/api/revocations/preview kind": "`interaction` revokes some turns of a user, `user` all of them.",
  "/api/dead_letters state": "Those that wait, those that were taken up again, or all.",
  "/api/dead_letters/{id}/replay id": "Id of the dead letter.",
  "/api/agent_playbooks/{id}/evidence id": "Id of the agent playbook.",
  "/api/agent_playbooks/{id}/undo id": "Id of the agent playbook.",
  "/api/user_playbooks/{id}/review id": "Id of the user playbook.",
  "/api/revocations/{id} id": "Id of the revocation.",
  "/api/revocations/{id}/lift id": "Id of the revocation.",
  "/api/webhook/messages/{id}/resend id": "Id of the message.",
  "/api/rule_feedback id": "Id of the rule.",
  "/api/rule_feedback interaction_id": "The turn that it is about. Empty: the rule as such.",
  "/api/rules/{kind}/{id}/uses id": "Id of the rule.",
  "/api/orgs name": "Name of the org.",
  "/api/admin/cache/invalidate org_id": "The key's own org; another one is refused. Empty: the key's.",
  "/api/delete_user_playbooks_by_ids user_playbook_ids": "Ids of user playbooks.",
  "/api/delete_agent_playbooks_by_ids agent_playbook_ids": "Ids of agent playbooks.",
  "/api/get_session_outcomes start_time": "Outcomes from this instant on, in seconds since 1970.",
  "/api/get_session_outcomes end_time": "Outcomes up to this instant, in seconds since 1970.",
  "/api/get_session_outcomes offset": "How many outcomes to skip.",
  "/api/get_session_outcomes top_k": "How many outcomes at most.",
  "/api/add_user_playbook tags": "Labels of the rule.",
};

const meanings: Readonly<Record<string, string>> = {
  ...RULE_TEXTS,
  ...SEARCHING,
  ...FILTERS,
  ...TURN,
  ...PUBLISHING,
  ...RULES,
  ...OUTCOMES,
  ...SETTING_UP,
  ...BY_ROUTE,
};

/** What a field of a route's request means, or undefined for one that nobody described. */
export function meaningOf(path: string, field: string): string | undefined {
  const key = `${path} ${field}`;
  if (Object.hasOwn(meanings, key)) return meanings[key];
  return Object.hasOwn(meanings, field) ? meanings[field] : undefined;
}
