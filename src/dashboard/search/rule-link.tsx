/** Links to rules of either kind. */
import type { RuleRef } from "../../search/why";
import { ruleHref as userRuleHref } from "../user-playbooks/filters";

export const hrefOfRule = ({ kind, id }: RuleRef): string =>
  kind === "agent_playbook" ? `/desk/rules/${id}` : userRuleHref(id);

export const RuleLink = ({ rule }: { rule: RuleRef }) => (
  <a href={hrefOfRule(rule)}>
    {rule.kind === "agent_playbook" ? "rule" : "user playbook"} #{rule.id}
  </a>
);
