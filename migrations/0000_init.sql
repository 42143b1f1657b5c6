CREATE TABLE `agent_playbook_sources` (
	`org_id` text NOT NULL,
	`agent_playbook_id` integer NOT NULL,
	`user_playbook_id` integer NOT NULL,
	`source_interaction_ids` text NOT NULL,
	PRIMARY KEY(`org_id`, `agent_playbook_id`, `user_playbook_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `agent_playbook_sources_by_user_playbook` ON `agent_playbook_sources` (`org_id`,`user_playbook_id`);
--> statement-breakpoint
CREATE TABLE `agent_playbooks` (
	`row` integer PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`agent_playbook_id` integer NOT NULL,
	`playbook_name` text NOT NULL,
	`agent_version` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`content` text NOT NULL,
	`trigger` text,
	`rationale` text,
	`playbook_status` text NOT NULL,
	`playbook_metadata` text NOT NULL,
	`status` text,
	`tags` text,
	`expanded_terms` text,
	`merged_into` integer,
	`superseded_by` integer,
	`retired_at` integer,
	`flags` text NOT NULL,
	`version` integer NOT NULL,
	`decided_by` text,
	`decided_at` integer,
	`scope` text NOT NULL,
	`search_text` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_playbooks_by_id` ON `agent_playbooks` (`org_id`,`agent_playbook_id`);
--> statement-breakpoint
CREATE INDEX `agent_playbooks_by_version` ON `agent_playbooks` (`org_id`,`agent_version`,`playbook_status`,`created_at`);
--> statement-breakpoint
CREATE INDEX `agent_playbooks_recent` ON `agent_playbooks` (`org_id`,`updated_at_ms`);
--> statement-breakpoint
CREATE TABLE `aggregation_items` (
	`org_id` text NOT NULL,
	`agent_version` text NOT NULL,
	`user_playbook_id` integer NOT NULL,
	`disposition` text NOT NULL,
	`cluster_id` text,
	`reason` text NOT NULL,
	`attempt_count` integer NOT NULL,
	`last_attempt_at_ms` integer NOT NULL,
	PRIMARY KEY(`org_id`, `agent_version`, `user_playbook_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `aggregation_items_residual` ON `aggregation_items` (`org_id`,`agent_version`,`disposition`,`last_attempt_at_ms`);
--> statement-breakpoint
CREATE INDEX `aggregation_items_by_cluster` ON `aggregation_items` (`org_id`,`cluster_id`);
--> statement-breakpoint
CREATE TABLE `aggregation_outcomes` (
	`org_id` text NOT NULL,
	`outcome_id` text NOT NULL,
	`agent_version` text NOT NULL,
	`outcome` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`org_id`, `outcome_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `aggregation_states` (
	`org_id` text NOT NULL,
	`agent_version` text NOT NULL,
	`pending` integer NOT NULL,
	`next_attempt_at_ms` integer NOT NULL,
	`last_success_at` integer,
	`state_version` integer NOT NULL,
	`intake_floor` integer NOT NULL,
	`last_error` text,
	PRIMARY KEY(`org_id`, `agent_version`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `aggregation_due` ON `aggregation_states` (`pending`,`next_attempt_at_ms`);
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`key_hash` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`key_id` text NOT NULL,
	`name` text NOT NULL,
	`principal_id` text NOT NULL,
	`roles` text NOT NULL,
	`scopes` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_by_id` ON `api_keys` (`org_id`,`key_id`);
--> statement-breakpoint
CREATE TABLE `audit` (
	`row` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` text NOT NULL,
	`at` integer NOT NULL,
	`principal_id` text NOT NULL,
	`action` text NOT NULL,
	`entity_type` text NOT NULL,
	`entity_id` text NOT NULL,
	`request_id` text NOT NULL,
	`details` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_by_org` ON `audit` (`org_id`,`row`);
--> statement-breakpoint
CREATE TABLE `clusters` (
	`org_id` text NOT NULL,
	`cluster_id` text NOT NULL,
	`agent_version` text NOT NULL,
	`agent_playbook_id` integer NOT NULL,
	`member_count` integer NOT NULL,
	`embedding_model` text NOT NULL,
	`embedding_dimension` integer NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `cluster_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `clusters_by_version` ON `clusters` (`org_id`,`agent_version`,`state`);
--> statement-breakpoint
CREATE INDEX `clusters_by_agent_playbook` ON `clusters` (`org_id`,`agent_playbook_id`);
--> statement-breakpoint
CREATE TABLE `configs` (
	`org_id` text NOT NULL,
	`config_hash` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `config_hash`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `counters` (
	`org_id` text NOT NULL,
	`day` text NOT NULL,
	`name` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`org_id`, `day`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `cursors` (
	`org_id` text NOT NULL,
	`user_id` text NOT NULL,
	`kind` text NOT NULL,
	`completed_seq` integer NOT NULL,
	`started` integer NOT NULL,
	`window_id` text,
	`attempts` integer NOT NULL,
	`retry_at_ms` integer NOT NULL,
	`last_error` text,
	`last_turn_ms` integer NOT NULL,
	PRIMARY KEY(`org_id`, `user_id`, `kind`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `dead_letters` (
	`org_id` text NOT NULL,
	`dead_letter_id` text NOT NULL,
	`topic` text NOT NULL,
	`key` text NOT NULL,
	`reason` text NOT NULL,
	`message` text NOT NULL,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL,
	`replayed_at` integer,
	PRIMARY KEY(`org_id`, `dead_letter_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `dead_letters_open` ON `dead_letters` (`org_id`,`created_at`);
--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`org_id` text NOT NULL,
	`principal_id` text NOT NULL,
	`key` text NOT NULL,
	`route` text NOT NULL,
	`body_hash` text NOT NULL,
	`state` text NOT NULL,
	`status` integer,
	`content_type` text,
	`body` text,
	`expires_at_ms` integer NOT NULL,
	PRIMARY KEY(`org_id`, `principal_id`, `route`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `idempotency_keys_expiry` ON `idempotency_keys` (`expires_at_ms`);
--> statement-breakpoint
CREATE TABLE `interactions` (
	`row` integer PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`user_id` text NOT NULL,
	`interaction_id` integer NOT NULL,
	`request_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`role` text NOT NULL,
	`content` text NOT NULL,
	`details` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `interactions_stream` ON `interactions` (`org_id`,`user_id`,`interaction_id`);
--> statement-breakpoint
CREATE TABLE `leases` (
	`org_id` text NOT NULL,
	`key` text NOT NULL,
	`owner` text NOT NULL,
	`fence` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	PRIMARY KEY(`org_id`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `lineage` (
	`row` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` text NOT NULL,
	`event_id` text NOT NULL,
	`entity_type` text NOT NULL,
	`entity_id` text NOT NULL,
	`op` text NOT NULL,
	`prov_relation` text,
	`source_ids` text NOT NULL,
	`actor` text NOT NULL,
	`request_id` text NOT NULL,
	`reason` text,
	`created_at` integer NOT NULL,
	`from_status` text,
	`to_status` text,
	`status_namespace` text,
	`model_name` text,
	`provider` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `lineage_by_event` ON `lineage` (`org_id`,`event_id`);
--> statement-breakpoint
CREATE INDEX `lineage_by_entity` ON `lineage` (`org_id`,`entity_type`,`entity_id`);
--> statement-breakpoint
CREATE INDEX `lineage_by_request` ON `lineage` (`org_id`,`request_id`);
--> statement-breakpoint
CREATE TABLE `operations` (
	`org_id` text NOT NULL,
	`operation_id` text NOT NULL,
	`kind` text NOT NULL,
	`agent_version` text NOT NULL,
	`request_id` text NOT NULL,
	`status` text NOT NULL,
	`result` text,
	`error` text,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `operation_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `operations_active` ON `operations` (`org_id`,`agent_version`,`status`);
--> statement-breakpoint
CREATE TABLE `org_settings` (
	`org_id` text PRIMARY KEY NOT NULL,
	`config_hash` text NOT NULL,
	`updated_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `orgs` (
	`org_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`topic` text NOT NULL,
	`key` text NOT NULL,
	`attempts` integer NOT NULL,
	`due_at_ms` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`due_at_ms`);
--> statement-breakpoint
CREATE TABLE `requests` (
	`org_id` text NOT NULL,
	`max_seq` integer NOT NULL,
	`min_seq` integer NOT NULL,
	`request_id` text NOT NULL,
	`user_id` text NOT NULL,
	`session_id` text NOT NULL,
	`source` text NOT NULL,
	`agent_version` text NOT NULL,
	`created_at` integer NOT NULL,
	`evaluation_only` integer NOT NULL,
	`force_extraction` integer NOT NULL,
	`skip_aggregation` integer NOT NULL,
	`experiment_id` text,
	`experiment_arm` text,
	`config_hash` text NOT NULL,
	`playbook_eligible` integer NOT NULL,
	`profile_eligible` integer NOT NULL,
	`body_hash` text NOT NULL,
	`warnings` text NOT NULL,
	PRIMARY KEY(`org_id`, `max_seq`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `requests_by_id` ON `requests` (`org_id`,`request_id`);
--> statement-breakpoint
CREATE INDEX `requests_by_session` ON `requests` (`org_id`,`session_id`,`max_seq`);
--> statement-breakpoint
CREATE TABLE `sequences` (
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`next` integer NOT NULL,
	PRIMARY KEY(`org_id`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `usage_days` (
	`org_id` text NOT NULL,
	`day` text NOT NULL,
	`task` text NOT NULL,
	`provider` text NOT NULL,
	`model` text NOT NULL,
	`calls` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	PRIMARY KEY(`org_id`, `day`, `task`, `provider`, `model`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `user_playbooks` (
	`row` integer PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`user_playbook_id` integer NOT NULL,
	`user_id` text,
	`agent_version` text NOT NULL,
	`request_id` text NOT NULL,
	`playbook_name` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at_ms` integer NOT NULL,
	`content` text NOT NULL,
	`trigger` text,
	`rationale` text,
	`status` text,
	`source` text,
	`source_interaction_ids` text NOT NULL,
	`source_span` text,
	`tags` text,
	`notes` text,
	`reader_angle` text,
	`expanded_terms` text,
	`merged_into` integer,
	`superseded_by` integer,
	`retired_at` integer,
	`flags` text NOT NULL,
	`window_id` text,
	`scope` text NOT NULL,
	`search_text` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_playbooks_by_id` ON `user_playbooks` (`org_id`,`user_playbook_id`);
--> statement-breakpoint
CREATE INDEX `user_playbooks_by_user` ON `user_playbooks` (`org_id`,`user_id`,`agent_version`,`created_at`);
--> statement-breakpoint
CREATE INDEX `user_playbooks_by_version` ON `user_playbooks` (`org_id`,`agent_version`,`user_playbook_id`);
--> statement-breakpoint
CREATE INDEX `user_playbooks_recent` ON `user_playbooks` (`org_id`,`updated_at_ms`);
--> statement-breakpoint
CREATE INDEX `user_playbooks_window` ON `user_playbooks` (`org_id`,`window_id`) WHERE window_id IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `vectors` (
	`org_id` text NOT NULL,
	`kind` text NOT NULL,
	`entity_id` integer NOT NULL,
	`model` text NOT NULL,
	`dimension` integer NOT NULL,
	`vector` blob NOT NULL,
	`scale` real NOT NULL,
	`updated_at_ms` integer NOT NULL,
	PRIMARY KEY(`org_id`, `kind`, `entity_id`, `model`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `vectors_recent` ON `vectors` (`org_id`,`model`,`updated_at_ms`);
--> statement-breakpoint
CREATE TABLE `windows` (
	`org_id` text NOT NULL,
	`window_id` text NOT NULL,
	`user_id` text NOT NULL,
	`kind` text NOT NULL,
	`manifest` text NOT NULL,
	`first_new_seq` integer NOT NULL,
	`end_seq` integer NOT NULL,
	`force` integer NOT NULL,
	`skip_aggregation` integer NOT NULL,
	`config_hash` text NOT NULL,
	`agent_version` text NOT NULL,
	`request_id` text NOT NULL,
	`source` text NOT NULL,
	`state` text NOT NULL,
	`outcome` text,
	`error` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	PRIMARY KEY(`org_id`, `window_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `windows_by_user` ON `windows` (`org_id`,`user_id`,`kind`,`end_seq`);
