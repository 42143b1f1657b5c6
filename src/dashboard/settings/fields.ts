/** The settings that have a field of their own, as data. A field's name is its place in the Config. */

export interface SettingField {
  /** JSON pointer into the Config, without its first slash. */
  name: string;
  /** A `section` is switched off by null; a `switch` is true or false; `lines` is a list, an entry a line. */
  kind: "section" | "switch" | "number" | "text" | "lines" | "choice";
  label: string;
  hint: string;
  /** Of a number. */
  min?: string;
  max?: string;
  step?: string;
  /** Of a text or lines. */
  rows?: number;
  /** An empty text is a fault, and not the default. */
  isRequired?: true;
  options?: readonly { value: string; label: string }[];
}

export interface SettingGroup {
  id: string;
  legend: string;
  intro: string;
  fields: readonly SettingField[];
}

const PLAYBOOK = "user_playbook_extractor_config";
const AGGREGATION = `${PLAYBOOK}/aggregation_config`;

export const GROUPS: readonly SettingGroup[] = [
  {
    id: "windows",
    legend: "Reading conversations",
    intro:
      "A user's turns are read in windows. A new window opens after as many new turns as the stride; turns before them give it context. Short windows learn sooner, long ones understand more and cost fewer calls a turn.",
    fields: [
      {
        name: "extraction_preset",
        kind: "choice",
        label: "Preset",
        hint: "The two numbers below win over it.",
        options: [
          { value: "", label: "None: windows of 10 turns, stride 8" },
          { value: "quick_chat", label: "Quick chat: windows of 5, stride 3, for short support chats" },
          { value: "standard", label: "Standard: windows of 10, stride 8, for most agents" },
          { value: "long_form", label: "Long form: windows of 25, stride 10, for long working sessions" },
          { value: "high_volume", label: "High volume: windows of 15, stride 8, for many users a day" },
        ],
      },
      {
        name: "window_size",
        kind: "number",
        label: "Turns of a window",
        hint: "Empty: the preset's.",
        min: "1",
        max: "1000",
        step: "1",
      },
      {
        name: "stride_size",
        kind: "number",
        label: "New turns that open a window",
        hint: "At most as many as a window has. Empty: the preset's.",
        min: "1",
        max: "1000",
        step: "1",
      },
    ],
  },
  {
    id: "agent",
    legend: "The agent",
    intro: "Told to the model whenever it reads a conversation or merges rules.",
    fields: [
      {
        name: "agent_context_prompt",
        kind: "text",
        label: "What the agent is and where it works",
        hint: "Such as: “A support assistant of an airline. It can look up bookings and rebook, and never takes payments.”",
        rows: 4,
      },
    ],
  },
  {
    id: "learning",
    legend: "Learning rules",
    intro: "What becomes a user playbook.",
    fields: [
      {
        name: PLAYBOOK,
        kind: "section",
        label: "Learn rules from conversations",
        hint: "Off: conversations are stored and never learned from, whatever is switched on later.",
      },
      {
        name: `${PLAYBOOK}/extraction_definition_prompt`,
        kind: "text",
        label: "What to learn",
        hint: "Say what counts as a lesson, and what does not.",
        rows: 5,
        isRequired: true,
      },
      {
        name: `${PLAYBOOK}/tagging_definition_prompt`,
        kind: "text",
        label: "Tags",
        hint: "Which tags there are and when each fits. Empty: rules are not tagged.",
        rows: 3,
      },
      {
        name: `${PLAYBOOK}/request_sources_enabled`,
        kind: "lines",
        label: "Sources to learn from",
        hint: "One a line, as the publishing program names them in “source”. Empty: every source.",
        rows: 3,
      },
    ],
  },
  {
    id: "aggregation",
    legend: "Merging rules",
    intro: "How the rules of several users become one rule of the agent, which then waits for review.",
    fields: [
      {
        name: AGGREGATION,
        kind: "section",
        label: "Merge rules of users into rules of the agent",
        hint: "Off: every user has their own rules, and nothing new comes to the review desk.",
      },
      {
        name: `${AGGREGATION}/min_cluster_size`,
        kind: "number",
        label: "Rules that must agree",
        hint: "How many rules make a cluster; with fewer than 2 nothing is merged.",
        min: "1",
        max: "10000",
        step: "1",
      },
      {
        name: `${AGGREGATION}/clustering_similarity`,
        kind: "number",
        label: "How alike they must be",
        hint: "0 to 1; higher merges less. Empty: what was measured for the embedding model.",
        min: "0",
        max: "1",
        step: "0.01",
      },
      {
        name: `${AGGREGATION}/reaggregation_trigger_count`,
        kind: "number",
        label: "New rules that start a run",
        hint: "Fewer wait for the next ones.",
        min: "1",
        step: "1",
      },
    ],
  },
  {
    id: "gate",
    legend: "Review gate",
    intro:
      "A merged rule always waits for a person. One that fewer users taught than this is shown with a warning, so that one voice cannot pass for many.",
    fields: [
      {
        name: "review_gate/min_distinct_users",
        kind: "number",
        label: "Users behind a rule",
        hint: "Empty: 2.",
        min: "1",
        max: "1000",
        step: "1",
      },
      {
        name: "review_gate/min_distinct_users_sensitive",
        kind: "number",
        label: "Users behind a rule on money, access or data leaving",
        hint: "At least as many as for any rule. Empty: 3, or the number above where that is more.",
        min: "1",
        max: "1000",
        step: "1",
      },
    ],
  },
  {
    id: "details",
    legend: "Personal details",
    intro: "Names, numbers and addresses of one user have no place in a rule for all.",
    fields: [
      {
        name: "user_detail_stripping_config/enabled",
        kind: "switch",
        label: "Hide personal details from the model that merges rules",
        hint: "They are replaced by placeholders, and a rule in which one survives is refused.",
      },
      {
        name: "user_detail_stripping_config/forcelist",
        kind: "lines",
        label: "Words to hide always",
        hint: "One a line, such as names of customers.",
        rows: 3,
      },
    ],
  },
  {
    id: "retention",
    legend: "History of rules",
    intro: "Where a rule came from and who changed it.",
    fields: [
      {
        name: "lineage_gc/enabled",
        kind: "switch",
        label: "Forget the history of rules that are gone",
        hint: "Kept with the settings for what reads it; this version of Playmaker keeps all history.",
      },
      {
        name: "lineage_gc/retention_days",
        kind: "number",
        label: "Days to keep it",
        hint: "Counted from the rule's end. Empty: 90.",
        min: "1",
        step: "1",
      },
    ],
  },
];

export const FIELDS: readonly SettingField[] = GROUPS.flatMap(({ fields }) => fields);
