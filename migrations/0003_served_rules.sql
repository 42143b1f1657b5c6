CREATE TABLE `served_rules` (
	`org_id` text NOT NULL,
	`session_id` text NOT NULL,
	`kind` text NOT NULL,
	`entity_id` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	PRIMARY KEY(`org_id`, `session_id`, `kind`, `entity_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `served_rules_expiry` ON `served_rules` (`expires_at_ms`);