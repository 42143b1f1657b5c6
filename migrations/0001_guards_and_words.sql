-- Guards: an insert into this view stores nothing and aborts its batch unless `ok` is exactly 1.
CREATE VIEW guard AS SELECT '' AS name, 1 AS ok WHERE 0;
--> statement-breakpoint
CREATE TRIGGER guard_check INSTEAD OF INSERT ON guard WHEN new.ok IS NOT 1 BEGIN
  SELECT RAISE(ABORT, 'guard:' || new.name);
END;
--> statement-breakpoint
-- Words: lexemes are made in code (src/search/words.ts); `scope` keeps a query inside its org.
CREATE VIRTUAL TABLE user_playbooks_fts USING fts5(scope, search_text, content='user_playbooks', content_rowid='row', tokenize='unicode61 remove_diacritics 0', prefix='3');
--> statement-breakpoint
CREATE TRIGGER user_playbooks_fts_insert AFTER INSERT ON user_playbooks BEGIN
  INSERT INTO user_playbooks_fts(rowid, scope, search_text) VALUES (new.row, new.scope, new.search_text);
END;
--> statement-breakpoint
CREATE TRIGGER user_playbooks_fts_delete AFTER DELETE ON user_playbooks BEGIN
  INSERT INTO user_playbooks_fts(user_playbooks_fts, rowid, scope, search_text) VALUES ('delete', old.row, old.scope, old.search_text);
END;
--> statement-breakpoint
CREATE TRIGGER user_playbooks_fts_update AFTER UPDATE OF scope, search_text ON user_playbooks BEGIN
  INSERT INTO user_playbooks_fts(user_playbooks_fts, rowid, scope, search_text) VALUES ('delete', old.row, old.scope, old.search_text);
  INSERT INTO user_playbooks_fts(rowid, scope, search_text) VALUES (new.row, new.scope, new.search_text);
END;
--> statement-breakpoint
CREATE VIRTUAL TABLE agent_playbooks_fts USING fts5(scope, search_text, content='agent_playbooks', content_rowid='row', tokenize='unicode61 remove_diacritics 0', prefix='3');
--> statement-breakpoint
CREATE TRIGGER agent_playbooks_fts_insert AFTER INSERT ON agent_playbooks BEGIN
  INSERT INTO agent_playbooks_fts(rowid, scope, search_text) VALUES (new.row, new.scope, new.search_text);
END;
--> statement-breakpoint
CREATE TRIGGER agent_playbooks_fts_delete AFTER DELETE ON agent_playbooks BEGIN
  INSERT INTO agent_playbooks_fts(agent_playbooks_fts, rowid, scope, search_text) VALUES ('delete', old.row, old.scope, old.search_text);
END;
--> statement-breakpoint
CREATE TRIGGER agent_playbooks_fts_update AFTER UPDATE OF scope, search_text ON agent_playbooks BEGIN
  INSERT INTO agent_playbooks_fts(agent_playbooks_fts, rowid, scope, search_text) VALUES ('delete', old.row, old.scope, old.search_text);
  INSERT INTO agent_playbooks_fts(rowid, scope, search_text) VALUES (new.row, new.scope, new.search_text);
END;
--> statement-breakpoint
-- Turns keep their lexemes in the index alone; publish writes them in its own batch.
CREATE VIRTUAL TABLE interactions_fts USING fts5(scope, search_text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
--> statement-breakpoint
CREATE TRIGGER interactions_fts_delete AFTER DELETE ON interactions BEGIN
  DELETE FROM interactions_fts WHERE rowid = old.row;
END;
