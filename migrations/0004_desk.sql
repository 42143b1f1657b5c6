CREATE TABLE `decisions` (
	`org_id` text NOT NULL,
	`agent_playbook_id` integer NOT NULL,
	`version` integer NOT NULL,
	`kind` text NOT NULL,
	`before` text NOT NULL,
	`cluster` text,
	`replaced` integer,
	`principal_id` text NOT NULL,
	`at_ms` integer NOT NULL,
	`change_id` text NOT NULL,
	`served_at_ms` integer,
	`undone_at_ms` integer,
	`undone_by` text,
	PRIMARY KEY(`org_id`, `agent_playbook_id`, `version`)
);
--> statement-breakpoint
CREATE INDEX `decisions_recent` ON `decisions` (`org_id`,`at_ms`);--> statement-breakpoint
CREATE TABLE `desk_sessions` (
	`session_hash` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`key_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `desk_sessions_by_key` ON `desk_sessions` (`org_id`,`key_id`);--> statement-breakpoint
CREATE INDEX `desk_sessions_expiry` ON `desk_sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `revocations` (
	`org_id` text NOT NULL,
	`revocation_id` text NOT NULL,
	`kind` text NOT NULL,
	`user_id` text NOT NULL,
	`interaction_ids` text NOT NULL,
	`reason` text NOT NULL,
	`principal_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`state` text NOT NULL,
	`touched` text NOT NULL,
	PRIMARY KEY(`org_id`, `revocation_id`)
);
--> statement-breakpoint
CREATE INDEX `revocations_by_user` ON `revocations` (`org_id`,`user_id`,`state`);--> statement-breakpoint
CREATE INDEX `revocations_recent` ON `revocations` (`org_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `rule_applications` (
	`org_id` text NOT NULL,
	`kind` text NOT NULL,
	`entity_id` integer NOT NULL,
	`interaction_id` integer NOT NULL,
	`user_id` text NOT NULL,
	`session_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `kind`, `entity_id`, `interaction_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `rule_applications_by_turn` ON `rule_applications` (`org_id`,`interaction_id`);--> statement-breakpoint
CREATE TABLE `rule_feedback` (
	`org_id` text NOT NULL,
	`kind` text NOT NULL,
	`entity_id` integer NOT NULL,
	`feedback_id` text NOT NULL,
	`verdict` text NOT NULL,
	`interaction_id` integer,
	`principal_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `kind`, `entity_id`, `feedback_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `rule_feedback_by_turn` ON `rule_feedback` (`org_id`,`interaction_id`);--> statement-breakpoint
CREATE TABLE `webhook_endpoints` (
	`org_id` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_until` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`failing_since` integer,
	`disabled_at` integer,
	`disabled_reason` text
);
--> statement-breakpoint
CREATE TABLE `webhook_messages` (
	`org_id` text NOT NULL,
	`message_id` text NOT NULL,
	`type` text NOT NULL,
	`data` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`attempts` integer NOT NULL,
	`next_attempt_at_ms` integer NOT NULL,
	`last_status` integer,
	`last_error` text,
	`delivered_at_ms` integer,
	`failed_at_ms` integer,
	PRIMARY KEY(`org_id`, `message_id`)
);
--> statement-breakpoint
CREATE INDEX `webhook_messages_recent` ON `webhook_messages` (`org_id`,`created_at_ms`);--> statement-breakpoint
CREATE INDEX `webhook_messages_age` ON `webhook_messages` (`created_at_ms`);--> statement-breakpoint
ALTER TABLE `outbox` ADD `created_at_ms` integer;--> statement-breakpoint
ALTER TABLE `agent_playbooks` ADD `replaces` integer;--> statement-breakpoint
CREATE INDEX `user_playbooks_of_user` ON `user_playbooks` (`org_id`,`user_id`,`user_playbook_id`);--> statement-breakpoint
CREATE INDEX `agent_playbooks_replacing` ON `agent_playbooks` (`org_id`,`replaces`) WHERE replaces IS NOT NULL;--> statement-breakpoint
CREATE INDEX `agent_playbooks_queue` ON `agent_playbooks` (`org_id`,`playbook_status`,`created_at`,`agent_playbook_id`) WHERE status IS NULL;
--> statement-breakpoint
CREATE INDEX `windows_unfinished` ON `windows` (`org_id`,`created_at`) WHERE state IN ('open', 'computed');--> statement-breakpoint
CREATE INDEX `dead_letters_by_state` ON `dead_letters` (`org_id`,`replayed_at`,`created_at`);--> statement-breakpoint
CREATE INDEX `operations_recent` ON `operations` (`org_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_of_config` ON `audit` (`org_id`,`row`) WHERE action = 'set.config';
--> statement-breakpoint
-- What a deleted turn had applied is no longer known.
CREATE TRIGGER rule_applications_of_turn AFTER DELETE ON interactions BEGIN
  DELETE FROM rule_applications WHERE org_id = old.org_id AND interaction_id = old.interaction_id;
  UPDATE rule_feedback SET interaction_id = NULL WHERE org_id = old.org_id AND interaction_id = old.interaction_id;
END;
