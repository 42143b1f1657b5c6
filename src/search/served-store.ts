/** SQL of what sessions were served. */
import { type Statement, sql } from "../db/sql";
import type { PlaybookKind } from "./kinds";

export interface Session {
  orgId: string;
  sessionId: string;
}

export interface ServedRule {
  kind: PlaybookKind;
  id: number;
}

/** A select of the ids of one kind that the session was served and has not forgotten. */
export const servedIds = (
  { orgId, sessionId, nowMs }: Session & { nowMs: number },
  kind: PlaybookKind,
): Statement =>
  sql`SELECT entity_id FROM served_rules WHERE org_id = ${orgId} AND session_id = ${sessionId} AND kind = ${kind}
      AND expires_at_ms > ${nowMs}`;

/** Notes what a session was served; twice is once, and the later expiry counts. */
export const recordServed = (
  { orgId, sessionId }: Session,
  rules: readonly ServedRule[],
  expiresAtMs: number,
): Statement =>
  sql`INSERT INTO served_rules (org_id, session_id, kind, entity_id, expires_at_ms)
      SELECT ${orgId}, ${sessionId}, value ->> 'kind', value ->> 'id', ${expiresAtMs}
      FROM json_each(${JSON.stringify(rules)}) WHERE true
      ON CONFLICT (org_id, session_id, kind, entity_id) DO UPDATE
        SET expires_at_ms = max(expires_at_ms, excluded.expires_at_ms)`;

/** A decision about an agent playbook, by the version that it made of it. */
export interface DecisionKey {
  id: number;
  version: number;
}

/** Notes that what these decisions put into service has reached a prompt; the first time counts. */
export const recordFirstServing = (
  orgId: string,
  decisions: readonly DecisionKey[],
  nowMs: number,
): Statement =>
  sql`UPDATE decisions SET served_at_ms = ${nowMs} WHERE org_id = ${orgId} AND served_at_ms IS NULL
      AND (agent_playbook_id, version) IN
        (SELECT value ->> 'id', value ->> 'version' FROM json_each(${JSON.stringify(decisions)}))`;

/** Forgets all but the newest `kept` of a session. */
export const trimServed = ({ orgId, sessionId }: Session, kept: number): Statement =>
  sql`DELETE FROM served_rules WHERE (org_id, session_id, kind, entity_id) IN
      (SELECT org_id, session_id, kind, entity_id FROM served_rules
       WHERE org_id = ${orgId} AND session_id = ${sessionId}
       ORDER BY expires_at_ms DESC, kind, entity_id LIMIT -1 OFFSET ${kept})`;

/** Forgets what has expired, of every org, a bounded number at a time. */
export const pruneServed = (nowMs: number, limit: number): Statement =>
  sql`DELETE FROM served_rules WHERE (org_id, session_id, kind, entity_id) IN
      (SELECT org_id, session_id, kind, entity_id FROM served_rules
       WHERE expires_at_ms <= ${nowMs} ORDER BY expires_at_ms LIMIT ${limit})`;
