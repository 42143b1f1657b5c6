/** SQL of endpoints: where an org is told what happened. */
import * as z from "zod";
import type { Database } from "../../db/client";
import { guard, type Statement, sql } from "../../db/sql";
import {
  type DisabledReason,
  disabledReasons,
  type Endpoint,
  type WebhookEvent,
  webhookEvents,
} from "./model";

export const endpointRow = z
  .object({
    org_id: z.string(),
    url: z.string(),
    events: z.string().transform((text) => z.array(z.enum(webhookEvents)).parse(JSON.parse(text))),
    secret: z.string(),
    previous_secret: z.string().nullable(),
    previous_until: z.int().nullable(),
    created_at: z.int(),
    updated_at: z.int(),
    failing_since: z.int().nullable(),
    disabled_at: z.int().nullable(),
    disabled_reason: z.enum(disabledReasons).nullable(),
  })
  .transform(
    (row): Endpoint => ({
      orgId: row.org_id,
      url: row.url,
      events: row.events,
      secret: row.secret,
      previousSecret: row.previous_secret,
      previousUntil: row.previous_until,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      failingSince: row.failing_since,
      disabledAt: row.disabled_at,
      disabledReason: row.disabled_reason,
    }),
  );

/** A select of an org's endpoint. */
export const endpointOf = (orgId: string): Statement =>
  sql`SELECT org_id, url, events, secret, previous_secret, previous_until, created_at, updated_at, failing_since,
        disabled_at, disabled_reason FROM webhook_endpoints WHERE org_id = ${orgId}`;

export const findEndpoint = (db: Database, orgId: string): Promise<Endpoint | null> =>
  db.first(endpointRow, endpointOf(orgId));

/** A condition: the org has an endpoint that is not disabled. `org` is an id or a column of the statement around it. */
export const hasEndpoint = (org: string | Statement): Statement =>
  sql`EXISTS (SELECT 1 FROM webhook_endpoints e WHERE e.org_id = ${org} AND e.disabled_at IS NULL)`;

/** A condition: it also asks for events of this type. */
export const wantsEvent = (org: string | Statement, type: WebhookEvent): Statement =>
  sql`EXISTS (SELECT 1 FROM webhook_endpoints e WHERE e.org_id = ${org} AND e.disabled_at IS NULL
      AND EXISTS (SELECT 1 FROM json_each(e.events) WHERE value = ${type}))`;

/** Fails where the org has one already. */
export const insertEndpoint = (
  endpoint: Pick<Endpoint, "orgId" | "url" | "events" | "secret" | "createdAt">,
): Statement =>
  sql`INSERT INTO webhook_endpoints (org_id, url, events, secret, created_at, updated_at)
      VALUES (${endpoint.orgId}, ${endpoint.url}, ${JSON.stringify(endpoint.events)}, ${endpoint.secret},
        ${endpoint.createdAt}, ${endpoint.createdAt})`;

const unchanged = ({ orgId, secret }: Pick<Endpoint, "orgId" | "secret">): Statement =>
  sql`org_id = ${orgId} AND secret = ${secret}`;

/** Sets address and events, and enables it again. Guard `version`: it is still the endpoint of this secret. */
export const updateEndpoint = (
  before: Pick<Endpoint, "orgId" | "secret">,
  change: Pick<Endpoint, "url" | "events" | "updatedAt">,
): Statement[] => [
  sql`UPDATE webhook_endpoints SET url = ${change.url}, events = ${JSON.stringify(change.events)},
        updated_at = ${change.updatedAt}, failing_since = NULL, disabled_at = NULL, disabled_reason = NULL
      WHERE ${unchanged(before)}`,
  guard("version", sql`changes() = 1`),
];

/** Puts a new secret beside the present one. Guard `version`: nobody else did meanwhile. */
export const rotateSecret = (
  before: Pick<Endpoint, "orgId" | "secret">,
  change: { secret: string; previousUntil: number; updatedAt: number },
): Statement[] => [
  sql`UPDATE webhook_endpoints SET previous_secret = secret, previous_until = ${change.previousUntil},
        secret = ${change.secret}, updated_at = ${change.updatedAt} WHERE ${unchanged(before)}`,
  guard("version", sql`changes() = 1`),
];

export const deleteEndpoint = (orgId: string): Statement =>
  sql`DELETE FROM webhook_endpoints WHERE org_id = ${orgId}`;

/** What was tried at an address says nothing about the one that took its place. */
const at = (orgId: string, url: string): Statement => sql`org_id = ${orgId} AND url = ${url}`;

/** It took a message. Writes nothing where it was not failing. */
export const noteDelivery = (orgId: string, url: string): Statement =>
  sql`UPDATE webhook_endpoints SET failing_since = NULL WHERE ${at(orgId, url)} AND failing_since IS NOT NULL`;

/** It failed; after `patienceSec` of nothing but failures it is disabled. */
export const noteFailure = (orgId: string, url: string, nowSec: number, patienceSec: number): Statement =>
  sql`UPDATE webhook_endpoints SET failing_since = coalesce(failing_since, ${nowSec}),
        disabled_at = CASE WHEN failing_since <= ${nowSec - patienceSec} THEN ${nowSec} END,
        disabled_reason = CASE WHEN failing_since <= ${nowSec - patienceSec} THEN 'failing' END
      WHERE ${at(orgId, url)} AND disabled_at IS NULL
        AND (failing_since IS NULL OR failing_since <= ${nowSec - patienceSec})`;

export const disableEndpoint = (
  orgId: string,
  url: string,
  reason: DisabledReason,
  nowSec: number,
): Statement =>
  sql`UPDATE webhook_endpoints SET disabled_at = ${nowSec}, disabled_reason = ${reason}
      WHERE ${at(orgId, url)} AND disabled_at IS NULL`;
