/** SQL of the turns of one session, a page at a time, each cut to what a page shows. */
import * as z from "zod";
import type { Database } from "../db/client";
import { isBeingErased } from "../db/erasure-mark";
import { type Statement, sql } from "../db/sql";

/** Characters of a turn's text, and of what stands beside it. */
const MAX_TEXT_CHARS = 4_000;
const MAX_NOTE_CHARS = 1_000;
/** Tools and citations of a turn. */
const MAX_LISTED = 20;
/** Turns shown before the one that a link points to. */
const LEAD_TURNS = 5;

export interface SessionTurn {
  interactionId: number;
  userId: string;
  requestId: string;
  agentVersion: string;
  /** Whether learning may read the call it came with. */
  isEligible: boolean;
  /** Seconds. */
  createdAt: number;
  role: string;
  content: string;
  /** Characters of the whole text. */
  characters: number;
  expertContent: string | null;
  action: string | null;
  actionDescription: string | null;
  image: string | null;
  imageUrl: string | null;
  tools: { name: string; status: string | null }[];
  toolCount: number;
  citations: { kind: string; realId: string; tag: string; title: string }[];
  citationCount: number;
}

const list = <Item extends z.ZodType>(item: Item) =>
  z.string().transform((text): z.output<Item>[] => z.array(item).parse(JSON.parse(text)));

const text = z.string().nullable();

const turnRow = z
  .object({
    interaction_id: z.int(),
    user_id: z.string(),
    request_id: z.string(),
    agent_version: z.string(),
    playbook_eligible: z.int(),
    created_at: z.int(),
    role: z.string(),
    content: z.string(),
    characters: z.int(),
    expert_content: text,
    action: text,
    action_description: text,
    image: text,
    image_url: text,
    tools: list(z.tuple([text, text])),
    tool_count: z.int().nullable(),
    citations: list(z.tuple([text, text, text, text])),
    citation_count: z.int().nullable(),
  })
  .transform(
    (row): SessionTurn => ({
      interactionId: row.interaction_id,
      userId: row.user_id,
      requestId: row.request_id,
      agentVersion: row.agent_version,
      isEligible: row.playbook_eligible === 1,
      createdAt: row.created_at,
      role: row.role,
      content: row.content,
      characters: row.characters,
      expertContent: row.expert_content,
      action: row.action,
      actionDescription: row.action_description,
      image: row.image,
      imageUrl: row.image_url,
      tools: row.tools.map(([name, status]) => ({ name: name ?? "", status })),
      toolCount: row.tool_count ?? 0,
      citations: row.citations.map(([kind, realId, tag, title]) => ({
        kind: kind ?? "",
        realId: realId ?? "",
        tag: tag ?? "",
        title: title ?? "",
      })),
      citationCount: row.citation_count ?? 0,
    }),
  );

const detail = (path: string, characters: number): Statement =>
  sql`substr(i.details ->> ${path}, 1, ${characters})`;

const entry = (key: string, characters: number): Statement => sql`substr(value ->> ${key}, 1, ${characters})`;

const details: Statement = sql`${detail("$.expert_content", MAX_TEXT_CHARS)} AS expert_content,
  ${detail("$.user_action", MAX_NOTE_CHARS)} AS action,
  ${detail("$.user_action_description", MAX_NOTE_CHARS)} AS action_description,
  ${detail("$.image.type", MAX_NOTE_CHARS)} AS image,
  ${detail("$.interacted_image_url", MAX_NOTE_CHARS)} AS image_url,
  (SELECT json_group_array(json_array(${entry("$.tool_name", 200)}, ${entry("$.status", 200)}))
    FROM (SELECT value FROM json_each(i.details, '$.tools_used') LIMIT ${MAX_LISTED})) AS tools,
  json_array_length(i.details, '$.tools_used') AS tool_count,
  (SELECT json_group_array(json_array(${entry("$.kind", 100)}, ${entry("$.real_id", 200)}, ${entry("$.tag", 200)},
      ${entry("$.title", 200)}))
    FROM (SELECT value FROM json_each(i.details, '$.citations') LIMIT ${MAX_LISTED})) AS citations,
  json_array_length(i.details, '$.citations') AS citation_count`;

/** Turns of a session; requests of one session lie in arrival order. */
const turnsOf = (orgId: string, sessionId: string, where: Statement): Statement =>
  sql`FROM requests r INDEXED BY requests_by_session CROSS JOIN interactions i ON i.org_id = r.org_id
      AND i.user_id = r.user_id AND i.interaction_id BETWEEN r.min_seq AND r.max_seq
    WHERE r.org_id = ${orgId} AND r.session_id = ${sessionId}
      AND NOT ${isBeingErased(orgId, { text: "r.user_id", params: [] })} AND ${where}`;

/** Where a page begins that shows the turn `seq` with a few turns before it. */
const leadOf = (orgId: string, sessionId: string, seq: number): Statement =>
  sql`(SELECT coalesce(min(lead), ${seq}) FROM (SELECT i.interaction_id AS lead
      ${turnsOf(orgId, sessionId, sql`r.min_seq <= ${seq} AND i.interaction_id <= ${seq}`)}
      ORDER BY r.max_seq DESC, i.interaction_id DESC LIMIT ${LEAD_TURNS + 1}))`;

export interface TurnPage {
  turns: SessionTurn[];
  /** Where the next page begins; null at the end. */
  next: number | null;
  /** Whether turns lie before this page. */
  hasEarlier: boolean;
}

/**
 * A page of a session's turns, oldest first.
 * @param place from which turn on (`from`), or around which one (`around`); both null begin at the first
 */
export async function loadSessionTurns(
  db: Database,
  orgId: string,
  sessionId: string,
  place: { from: number | null; around: number | null },
  limit: number,
): Promise<TurnPage> {
  const first = place.around === null ? sql`${place.from ?? 0}` : leadOf(orgId, sessionId, place.around);
  const [page, earlier] = await db.batch([
    sql`SELECT i.interaction_id, i.user_id, i.request_id, r.agent_version, r.playbook_eligible, i.created_at,
          substr(i.role, 1, 200) AS role, substr(i.content, 1, ${MAX_TEXT_CHARS}) AS content,
          length(i.content) AS characters, ${details}
        ${turnsOf(orgId, sessionId, sql`r.max_seq >= ${first} AND i.interaction_id >= ${first}`)}
        ORDER BY r.max_seq, i.interaction_id LIMIT ${limit + 1}`,
    sql`SELECT EXISTS (SELECT 1 ${turnsOf(orgId, sessionId, sql`r.min_seq < ${first} AND i.interaction_id < ${first}`)}
        ) AS has_earlier`,
  ]);
  const turns = z.array(turnRow).parse(page?.rows ?? []);
  const { has_earlier } = z.object({ has_earlier: z.int() }).parse(earlier?.rows[0]);
  return {
    turns: turns.slice(0, limit),
    next: turns[limit]?.interactionId ?? null,
    hasEarlier: has_earlier === 1,
  };
}
