-- Changes of user playbooks that aggregation had taken up, until it has heard of them (specification 8.4).
CREATE TABLE `invalidations` (
	`row` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` text NOT NULL,
	`agent_version` text NOT NULL,
	`user_playbook_id` integer NOT NULL,
	`operation` text NOT NULL,
	`successor_id` integer,
	`processed_at_ms` integer
);
--> statement-breakpoint
CREATE INDEX `invalidations_open` ON `invalidations` (`org_id`,`agent_version`,`processed_at_ms`);
--> statement-breakpoint
ALTER TABLE clusters ADD COLUMN rebuild_attempts integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE clusters ADD COLUMN rebuild_next_at_ms integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
-- Written by triggers, so that no path can forget it. A row without an item is taken in as it is: nothing rests
-- on what it was. The state's counter grows, so that a turn that is under way does not mark this done.
CREATE TRIGGER user_playbooks_invalidate_update AFTER UPDATE OF status, content, trigger, rationale ON user_playbooks
WHEN old.status IS NULL
  AND (new.status IS NOT NULL OR new.content IS NOT old.content OR new.trigger IS NOT old.trigger
    OR new.rationale IS NOT old.rationale)
  AND EXISTS (SELECT 1 FROM aggregation_items WHERE org_id = old.org_id AND agent_version = old.agent_version
    AND user_playbook_id = old.user_playbook_id)
BEGIN
  INSERT INTO invalidations (org_id, agent_version, user_playbook_id, operation, successor_id)
    VALUES (old.org_id, old.agent_version, old.user_playbook_id,
      iif(new.status IS NULL, 'edit', iif(new.status = 'archived', 'archive', iif(new.status = 'merged', 'merge',
        iif(new.status = 'superseded', 'supersede', 'status_change')))),
      coalesce(new.merged_into, new.superseded_by));
  INSERT INTO aggregation_states (org_id, agent_version, pending, next_attempt_at_ms, state_version, intake_floor)
    VALUES (old.org_id, old.agent_version, 1, 0, 1, 0)
    ON CONFLICT (org_id, agent_version) DO UPDATE SET pending = 1, state_version = state_version + 1;
END;
--> statement-breakpoint
CREATE TRIGGER user_playbooks_invalidate_delete AFTER DELETE ON user_playbooks
WHEN EXISTS (SELECT 1 FROM aggregation_items WHERE org_id = old.org_id AND agent_version = old.agent_version
    AND user_playbook_id = old.user_playbook_id)
BEGIN
  INSERT INTO invalidations (org_id, agent_version, user_playbook_id, operation, successor_id)
    VALUES (old.org_id, old.agent_version, old.user_playbook_id, 'delete', NULL);
  INSERT INTO aggregation_states (org_id, agent_version, pending, next_attempt_at_ms, state_version, intake_floor)
    VALUES (old.org_id, old.agent_version, 1, 0, 1, 0)
    ON CONFLICT (org_id, agent_version) DO UPDATE SET pending = 1, state_version = state_version + 1;
END;
--> statement-breakpoint
-- Whatever becomes CURRENT is material again: restored, kept by a reviewer, upgraded.
CREATE TRIGGER user_playbooks_return AFTER UPDATE OF status ON user_playbooks
WHEN new.status IS NULL AND old.status IS NOT NULL AND trim(new.agent_version) <> ''
BEGIN
  INSERT INTO aggregation_states (org_id, agent_version, pending, next_attempt_at_ms, state_version, intake_floor)
    VALUES (new.org_id, new.agent_version, 1, 0, 1, 0)
    ON CONFLICT (org_id, agent_version) DO UPDATE SET pending = 1, state_version = state_version + 1;
END;
--> statement-breakpoint
-- Operations say when they began, ended and try again, how far they are, and why there was nothing to do.
ALTER TABLE operations ADD COLUMN started_at integer;
--> statement-breakpoint
ALTER TABLE operations ADD COLUMN completed_at integer;
--> statement-breakpoint
ALTER TABLE operations ADD COLUMN next_attempt_at_ms integer;
--> statement-breakpoint
ALTER TABLE operations ADD COLUMN is_turn_open integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE operations ADD COLUMN progress_done integer;
--> statement-breakpoint
ALTER TABLE operations ADD COLUMN progress_total integer;
--> statement-breakpoint
ALTER TABLE operations ADD COLUMN skipped text;
--> statement-breakpoint
-- One aggregation of a version at a time; of several that were started before this rule, the first goes on.
UPDATE operations SET status = 'failed', error = 'execution_failed'
WHERE kind = 'aggregation' AND status IN ('queued', 'running') AND EXISTS (
  SELECT 1 FROM operations AS other WHERE other.org_id = operations.org_id
    AND other.agent_version = operations.agent_version AND other.kind = 'aggregation'
    AND other.status IN ('queued', 'running') AND other.operation_id < operations.operation_id);
--> statement-breakpoint
CREATE UNIQUE INDEX `operations_one_active` ON `operations` (`org_id`,`agent_version`) WHERE kind = 'aggregation' AND status IN ('queued', 'running');
--> statement-breakpoint
CREATE TABLE `rebuilds` (
	`org_id` text NOT NULL,
	`operation_id` text NOT NULL,
	`agent_version` text NOT NULL,
	`row_count` integer NOT NULL,
	`last_agent_playbook_id` integer NOT NULL,
	`last_invalidation` integer NOT NULL,
	`is_planned` integer NOT NULL,
	PRIMARY KEY(`org_id`, `operation_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `rebuild_rows` (
	`org_id` text NOT NULL,
	`operation_id` text NOT NULL,
	`user_playbook_id` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`cluster_id` text,
	`reason` text NOT NULL,
	PRIMARY KEY(`org_id`, `operation_id`, `user_playbook_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `rebuild_rows_by_cluster` ON `rebuild_rows` (`org_id`,`operation_id`,`cluster_id`);
--> statement-breakpoint
CREATE TABLE `rebuild_clusters` (
	`org_id` text NOT NULL,
	`operation_id` text NOT NULL,
	`cluster_id` text NOT NULL,
	`position` integer NOT NULL,
	`tries` integer NOT NULL,
	`outcome` text,
	`agent_playbook_id` integer,
	`draft` text,
	`vector` blob,
	`scale` real,
	`embedding_model` text,
	`embedding_dimension` integer,
	`model_name` text,
	`provider` text,
	`lineage_id` text,
	`vector_job_id` text,
	PRIMARY KEY(`org_id`, `operation_id`, `cluster_id`)
);
--> statement-breakpoint
CREATE INDEX `rebuild_clusters_open` ON `rebuild_clusters` (`org_id`,`operation_id`,`outcome`,`tries`,`position`);
--> statement-breakpoint
-- Whatever an aggregation read is erased with its source: the operation fails, and what it had written goes.
CREATE TRIGGER user_playbooks_erase_operations AFTER DELETE ON user_playbooks BEGIN
  DELETE FROM rebuild_clusters WHERE org_id = old.org_id AND operation_id IN (
    SELECT o.operation_id FROM operations o WHERE o.org_id = old.org_id AND o.agent_version = old.agent_version
      AND o.kind = 'aggregation' AND o.status IN ('queued', 'running')
      AND (old.status IS NULL OR EXISTS (SELECT 1 FROM rebuild_rows r WHERE r.org_id = o.org_id
        AND r.operation_id = o.operation_id AND r.user_playbook_id = old.user_playbook_id)));
  UPDATE operations SET status = 'failed', error = 'input_erased', next_attempt_at_ms = NULL,
      completed_at = unixepoch(), updated_at = max(updated_at, unixepoch())
    WHERE org_id = old.org_id AND agent_version = old.agent_version AND kind = 'aggregation'
      AND status IN ('queued', 'running')
      AND (old.status IS NULL OR EXISTS (SELECT 1 FROM rebuild_rows r WHERE r.org_id = operations.org_id
        AND r.operation_id = operations.operation_id AND r.user_playbook_id = old.user_playbook_id));
END;
--> statement-breakpoint
CREATE TABLE `generation_operations` (
	`org_id` text NOT NULL,
	`service_name` text NOT NULL,
	`operation_id` text NOT NULL,
	`mode` text NOT NULL,
	`status` text NOT NULL,
	`agent_version` text NOT NULL,
	`source` text,
	`start_sec` integer,
	`end_sec` integer,
	`window_sources` text,
	`config_hash` text NOT NULL,
	`request_id` text NOT NULL,
	`principal_id` text NOT NULL,
	`started_at` integer NOT NULL,
	`progressed_at_ms` integer NOT NULL,
	`completed_at` integer,
	`total_users` integer NOT NULL,
	`processed_users` integer NOT NULL,
	`failed_users` integer NOT NULL,
	`cancelled_users` integer NOT NULL,
	`current_user_id` text,
	`turns` integer NOT NULL,
	`rules` integer NOT NULL,
	`error_message` text,
	PRIMARY KEY(`org_id`, `service_name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `generation_units` (
	`org_id` text NOT NULL,
	`operation_id` text NOT NULL,
	`position` integer NOT NULL,
	`user_id` text NOT NULL,
	`state` text NOT NULL,
	`window_id` text,
	`attempts` integer NOT NULL,
	`error` text,
	PRIMARY KEY(`org_id`, `operation_id`, `position`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `generation_cancels` (
	`org_id` text NOT NULL,
	`service_name` text NOT NULL,
	`operation_id` text NOT NULL,
	`requested_at` integer NOT NULL,
	`principal_id` text NOT NULL,
	PRIMARY KEY(`org_id`, `service_name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `version_changes` (
	`org_id` text PRIMARY KEY NOT NULL,
	`change_id` text NOT NULL,
	`kind` text NOT NULL,
	`agent_version` text,
	`playbook_name` text,
	`archive_current` integer NOT NULL,
	`last_id` integer NOT NULL,
	`state` text NOT NULL,
	`phase` integer NOT NULL,
	`after_id` integer NOT NULL,
	`batches` integer NOT NULL,
	`counts` text NOT NULL,
	`principal_id` text NOT NULL,
	`request_id` text NOT NULL,
	`started_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
-- Reviews of stored user playbooks that are applied in the background (specification 10).
CREATE TABLE `review_runs` (
	`org_id` text NOT NULL,
	`run_id` text NOT NULL,
	`state` text NOT NULL,
	`start_sec` integer NOT NULL,
	`end_sec` integer NOT NULL,
	`config_hash` text NOT NULL,
	`principal_id` text NOT NULL,
	`selected` integer NOT NULL,
	`position` integer NOT NULL,
	`attempts` integer NOT NULL,
	`accepted` integer NOT NULL,
	`edited` integer NOT NULL,
	`rejected` integer NOT NULL,
	`skipped` integer NOT NULL,
	`error` text,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	PRIMARY KEY(`org_id`, `run_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `review_runs_running` ON `review_runs` (`org_id`) WHERE state = 'running';--> statement-breakpoint
CREATE INDEX `review_runs_recent` ON `review_runs` (`org_id`,`started_at`,`run_id`);--> statement-breakpoint
CREATE TABLE `review_items` (
	`org_id` text NOT NULL,
	`run_id` text NOT NULL,
	`position` integer NOT NULL,
	`user_playbook_id` integer NOT NULL,
	`decision` text,
	`reason_code` text,
	`successor_id` integer,
	`outcome` text,
	PRIMARY KEY(`org_id`, `run_id`, `position`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `review_items_open` ON `review_items` (`org_id`,`user_playbook_id`) WHERE outcome IS NOT NULL;
--> statement-breakpoint
-- An outcome that waits quotes its rule: it goes when the rule changes or goes, whoever does it.
CREATE TRIGGER review_items_forget_changed AFTER UPDATE OF status, content, trigger, rationale ON user_playbooks BEGIN
  UPDATE review_items SET outcome = NULL WHERE org_id = old.org_id AND user_playbook_id = old.user_playbook_id
    AND outcome IS NOT NULL;
END;
--> statement-breakpoint
CREATE TRIGGER review_items_forget_deleted AFTER DELETE ON user_playbooks BEGIN
  UPDATE review_items SET outcome = NULL WHERE org_id = old.org_id AND user_playbook_id = old.user_playbook_id
    AND outcome IS NOT NULL;
END;
--> statement-breakpoint
CREATE TABLE `session_outcomes` (
	`org_id` text NOT NULL,
	`session_id` text NOT NULL,
	`user_id` text NOT NULL,
	`source` text NOT NULL,
	`outcome` text NOT NULL,
	`occurred_at` integer NOT NULL,
	`label` text,
	`value` real,
	`metadata` text,
	`principal_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `session_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `session_outcomes_recent` ON `session_outcomes` (`org_id`,`occurred_at`,`session_id`);--> statement-breakpoint
CREATE INDEX `session_outcomes_by_user` ON `session_outcomes` (`org_id`,`user_id`,`occurred_at`);--> statement-breakpoint
CREATE TABLE `rule_verdicts` (
	`org_id` text NOT NULL,
	`kind` text NOT NULL,
	`entity_id` integer NOT NULL,
	`helpful` integer NOT NULL,
	`harmful` integer NOT NULL,
	PRIMARY KEY(`org_id`, `kind`, `entity_id`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO rule_verdicts (org_id, kind, entity_id, helpful, harmful)
  SELECT org_id, kind, entity_id, sum(verdict = 'helpful'), sum(verdict = 'harmful') FROM rule_feedback
  GROUP BY org_id, kind, entity_id;
--> statement-breakpoint
-- An outcome is of the user whose session it was: it goes with their last request of that session.
CREATE TRIGGER session_outcomes_of_session AFTER DELETE ON requests BEGIN
  DELETE FROM session_outcomes WHERE org_id = old.org_id AND session_id = old.session_id
    AND user_id = old.user_id AND NOT EXISTS (SELECT 1 FROM requests
      WHERE org_id = old.org_id AND session_id = old.session_id AND user_id = old.user_id);
END;
--> statement-breakpoint
-- Whoever writes, replaces or erases a verdict, the counts of its rule follow.
CREATE TRIGGER rule_verdicts_insert AFTER INSERT ON rule_feedback BEGIN
  INSERT INTO rule_verdicts (org_id, kind, entity_id, helpful, harmful)
    VALUES (new.org_id, new.kind, new.entity_id, new.verdict = 'helpful', new.verdict = 'harmful')
    ON CONFLICT (org_id, kind, entity_id) DO UPDATE SET helpful = helpful + excluded.helpful,
      harmful = harmful + excluded.harmful;
END;
--> statement-breakpoint
CREATE TRIGGER rule_verdicts_update AFTER UPDATE OF verdict ON rule_feedback WHEN new.verdict <> old.verdict BEGIN
  UPDATE rule_verdicts SET helpful = helpful + (new.verdict = 'helpful') - (old.verdict = 'helpful'),
      harmful = harmful + (new.verdict = 'harmful') - (old.verdict = 'harmful')
    WHERE org_id = new.org_id AND kind = new.kind AND entity_id = new.entity_id;
END;
--> statement-breakpoint
CREATE TRIGGER rule_verdicts_delete AFTER DELETE ON rule_feedback BEGIN
  UPDATE rule_verdicts SET helpful = helpful - (old.verdict = 'helpful'),
      harmful = harmful - (old.verdict = 'harmful')
    WHERE org_id = old.org_id AND kind = old.kind AND entity_id = old.entity_id;
  DELETE FROM rule_verdicts WHERE org_id = old.org_id AND kind = old.kind AND entity_id = old.entity_id
    AND helpful = 0 AND harmful = 0;
END;
--> statement-breakpoint
CREATE TABLE `erasures` (
	`org_id` text NOT NULL,
	`user_id` text NOT NULL,
	`erasure_id` text NOT NULL,
	`principal_id` text NOT NULL,
	`counts` text NOT NULL,
	`begun_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `user_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `erasures_by_id` ON `erasures` (`org_id`,`erasure_id`);--> statement-breakpoint
CREATE TABLE `erasure_targets` (
	`org_id` text NOT NULL,
	`erasure_id` text NOT NULL,
	`kind` text NOT NULL,
	`entity_id` integer NOT NULL,
	`models` text NOT NULL,
	`kept_version` integer,
	PRIMARY KEY(`org_id`, `erasure_id`, `kind`, `entity_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `erasure_log` (
	`org_id` text NOT NULL,
	`erasure_id` text NOT NULL,
	`salt` text NOT NULL,
	`user_hash` text NOT NULL,
	`state` text NOT NULL,
	`counts` text NOT NULL,
	`begun_at` integer NOT NULL,
	`finished_at` integer,
	PRIMARY KEY(`org_id`, `erasure_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `erasure_log_by_user` ON `erasure_log` (`org_id`,`user_hash`);--> statement-breakpoint
CREATE INDEX `erasure_log_recent` ON `erasure_log` (`org_id`,`begun_at`,`erasure_id`);--> statement-breakpoint
CREATE TABLE `history_sweeps` (
	`org_id` text PRIMARY KEY NOT NULL,
	`due_at_ms` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `history_sweeps_due` ON `history_sweeps` (`due_at_ms`);
--> statement-breakpoint
CREATE INDEX `user_playbooks_tombstones` ON `user_playbooks` (`org_id`,`retired_at`) WHERE status IN ('merged', 'superseded');--> statement-breakpoint
CREATE INDEX `agent_playbooks_tombstones` ON `agent_playbooks` (`org_id`,`retired_at`) WHERE status IN ('merged', 'superseded');
