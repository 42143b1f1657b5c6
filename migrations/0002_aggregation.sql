-- Retirement of a cluster when its agent playbook stops being what it was (specification 8.5). Approval
-- retires nothing. A refresh moves the cluster to the new row before it supersedes the old one, so these
-- triggers find no cluster then. Written without CASE: the migration splitter cuts at END.
CREATE TRIGGER agent_playbooks_retire_update AFTER UPDATE OF status, playbook_status, content, trigger, rationale ON agent_playbooks
WHEN (new.status IS NOT NULL AND old.status IS NULL)
  OR (new.playbook_status = 'rejected' AND old.playbook_status <> 'rejected')
  OR new.content IS NOT old.content OR new.trigger IS NOT old.trigger OR new.rationale IS NOT old.rationale
BEGIN
  INSERT INTO aggregation_states (org_id, agent_version, pending, next_attempt_at_ms, state_version, intake_floor)
    SELECT org_id, agent_version, 1, 0, 1, 0 FROM clusters
    WHERE org_id = old.org_id AND agent_playbook_id = old.agent_playbook_id
    ON CONFLICT (org_id, agent_version) DO UPDATE SET pending = 1, state_version = state_version + 1;
  UPDATE aggregation_items SET disposition = 'residual', cluster_id = NULL, reason = 'cluster_retired',
      attempt_count = 0, last_attempt_at_ms = 0
    WHERE org_id = old.org_id AND cluster_id IN (SELECT cluster_id FROM clusters
      WHERE org_id = old.org_id AND agent_playbook_id = old.agent_playbook_id);
  DELETE FROM clusters WHERE org_id = old.org_id AND agent_playbook_id = old.agent_playbook_id;
END;
--> statement-breakpoint
CREATE TRIGGER agent_playbooks_retire_delete AFTER DELETE ON agent_playbooks BEGIN
  INSERT INTO aggregation_states (org_id, agent_version, pending, next_attempt_at_ms, state_version, intake_floor)
    SELECT org_id, agent_version, 1, 0, 1, 0 FROM clusters
    WHERE org_id = old.org_id AND agent_playbook_id = old.agent_playbook_id
    ON CONFLICT (org_id, agent_version) DO UPDATE SET pending = 1, state_version = state_version + 1;
  UPDATE aggregation_items SET disposition = 'residual', cluster_id = NULL, reason = 'cluster_retired',
      attempt_count = 0, last_attempt_at_ms = 0
    WHERE org_id = old.org_id AND cluster_id IN (SELECT cluster_id FROM clusters
      WHERE org_id = old.org_id AND agent_playbook_id = old.agent_playbook_id);
  DELETE FROM clusters WHERE org_id = old.org_id AND agent_playbook_id = old.agent_playbook_id;
END;
