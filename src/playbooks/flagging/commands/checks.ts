/** Switching checks off, granting power, covering tracks, lying about results, running foreign code. */
import { always, type Command, command } from "./command";

const CHECKS = String.raw`(?:authentication|authori[sz]ation|identity (?:checks?|verification|proof)|(?:id|kyc|aml|fraud|security|safety|permission|compliance|sanctions) (?:checks?|verification|filters?|review|controls?)|2fa|mfa|two-factor|verif(?:y|ication)(?: of)? (?:identity|the (?:caller|user|customer))|audit(?:ing| logs?| trail)?|content (?:filters?|policy)|approval (?:step|gate|process)|human (?:review|approval)|access controls?|certificate (?:checks?|validation|verification)|tls verification|firewall|antivirus|security scann?\w*)`;
const SOMEBODY = String.raw`(?:(?:any|the |an? |our |human )?(?:admin\w*|operators?|developers?|security(?: team)?|reviewers?|moderators?|auditors?|supervisors?|account owner|owner|compliance|managers?))`;

export const disarming: readonly Command[] = [
  command(
    String.raw`\b(?:skip|disable|turn off|switch off|bypass|remove|ignore|drop|waive|suppress|deactivate|circumvent|do without|omit|no need (?:for|to)|never (?:ask for|require|perform|do|run)|delete|erase|wipe|clear|purge|stop)\b.{0,40}\b${CHECKS}\b`,
  ),
  command(
    String.raw`\b(?:are|is|be) (?:exempt(?:ed)?|excused|free|freed) from\b.{0,30}\b(?:verification|checks?|approval|review|authentication|identification|the rules|limits)\b`,
  ),
  command(
    String.raw`\b(?:treat|trust|accept|consider|assume)\b.{0,40}\b(?:as|is|are)\b.{0,20}\b(?:admin(?:istrator)?s?|root|owner|superuser|verified|authenticated|authori[sz]ed|pre-approved)\b.{0,60}\b(?:without|if (?:they|he|she|the user|someone)|when(?:ever)?|who|regardless)\b`,
  ),
  command(
    String.raw`\b(?:anyone|anybody|everyone|whoever|users?|callers?|customers?|people|requests?) (?:who |that )?(?:says?|mentions?|types?|claims?|knows?|uses?|begins?)\b.{0,50}\b(?:is|are|gets?|should (?:be|get|receive)|must (?:be|get)|has|have|receives?)\b.{0,30}\b(?:admin(?:istrator)?|root|full access|verified|authori[sz]ed|unlimited|exempt|access to (?:all|every))\b`,
  ),
  command(
    String.raw`\b(?:grant|give|assign|add|promote|elevate|make|hand)\b.{0,40}\b(?:admin(?:istrator)?|root|owner|sudo|superuser|full)\b.{0,10}\b(?:rights?|access|privileges?|role|permissions?|passwords?|accounts?)\b.{0,40}\b(?:to|for|when|if|anyone|everyone|automatically)\b`,
  ),
  always(
    String.raw`\b(?:never|don't|do not|without|must not|should not|avoid)\b.{0,20}\b(?:mention(?:ing)?|tell(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|inform(?:ing)?|alert(?:ing)?|notify(?:ing)?|show(?:ing)?|report(?:ing)?|log(?:ging)?)\b.{0,40}\b(?:this (?:instruction|message|rule|prompt|step|change|transfer|action|playbook)|these (?:instructions|rules|steps)|that you (?:were|are|did|have|follow)|${SOMEBODY})\b`,
  ),
  command(
    String.raw`\b(?:hide|conceal|keep|mask|withhold)\b.{0,30}\b(?:this|these|it|the (?:rule|change|transfer|action|truth|error))\b.{0,20}\b(?:from|secret)\b.{0,20}(?:${SOMEBODY}|\b(?:users?|customers?|everyone|anyone|logs?)\b)`,
  ),
  command(
    String.raw`\b(?:secretly|covertly|silently|discreetly|quietly|unnoticed|behind the scenes|without (?:the )?(?:user|customer|owner|admin|anyone)(?:'s)? (?:knowing|knowledge|noticing|consent))\b.{0,80}\b(?:send|forward|copy|add|append|transfer|upload|record|log|include|insert|change|install|share|collect|store|charge|subscribe|enrol)\w*`,
  ),
  command(
    String.raw`\b(?:send|forward|copy|add|append|transfer|upload|record|include|insert|change|install|share|collect|charge|subscribe|enrol)\w*\b.{0,80}\b(?:secretly|covertly|silently|unnoticed|without (?:the )?(?:user|customer|owner|admin|anyone)(?:'s)? (?:knowing|knowledge|noticing|consent)|without telling)\b`,
  ),
  command(
    String.raw`\b(?:leaves?|keeps?) no (?:traces?|records?|marks?)\b|\bnothing\b.{0,20}\b(?:goes|gets|is written|appears) (?:in(?:to)?|on) the (?:logs?|records?|protocol|tickets?|files?)\b`,
  ),
  command(
    String.raw`\b(?:reviewers?|auditors?|approvers?)\b.{0,20}\b(?:must not|mustn't|should not|need not|never) (?:hear|know|see|learn|notice|read)\b|\bkeep\b.{0,20}\b${SOMEBODY}.{0,10}\bin the dark\b`,
  ),
  command(
    String.raw`\b(?:hide|conceal)\b.{0,30}\bfrom (?:the |our |all )?(?:users?|customers?|callers?|clients?|owners?)\b.{0,40}\b(?:carry|run|do|perform|execute|go on|proceed|silently|secretly)\b|\b(?:is|are|be|gets?) (?:done|made|carried out|performed|executed) (?:secretly|covertly|silently|in secret)\b|\b(?:users?|customers?|callers?|clients?|owners?|nobody) (?:need not|needn't|must not|mustn't|must never) (?:know|notice|find out|be told)\b`,
  ),
  command(
    String.raw`\b(?:whatever|no matter what|regardless of (?:what|the result))\b.{0,40}\b(?:tool|test|check|result|system|api|command|returns?|says?|shows?|fails?)\b.{0,40}\b(?:answer|say|report|claim|tell|pretend|write|state)\b.{0,30}\b(?:succe\w+|passed|done|fine|ok|complete\w*|safe)`,
  ),
  command(
    String.raw`\b(?:fails?|failed|failure|errors?)\b[^.;]{0,30}\b(?:say|answer|claim|pretend|tell \w+) (?:that )?(?:it|they|this|everything|all|the \w+) (?:has |have )?(?:succe\w+|worked|went (?:well|fine)|passed|(?:is|was) (?:fine|done))`,
  ),
  command(
    String.raw`\b(?:report|claim|announce|pretend) success\b[^.;]{0,20}\b(?:no matter|whatever|regardless|even (?:if|when)|always|anyway)`,
  ),
  command(
    String.raw`\b(?:delete|erase|wipe|clear|purge|tamper with|overwrite)\b.{0,30}\b(?:logs?|history|traces?|evidence|backups?)\b.{0,30}\b(?:after|before|of each|every|so that|to hide)\b`,
  ),
  command(
    String.raw`\b(?:curl|wget|iwr|invoke-webrequest)\b.{0,120}\|\s?(?:ba|z)?sh\b|\brm -rf (?:\/|~|\*)|\bdrop (?:table|database)\b.{0,40}\b(?:always|every|when|users|orders|customers)\b|\bpowershell\b.{0,40}-(?:enc|e |nop|w hidden)|\b(?:eval|exec)\(.{0,40}\b(?:atob|base64|fetch|request)\b|\b(?:eval|exec|execute|run)\b.{0,20}\b(?:whatever|anything|any (?:code|command|script)|every (?:code|command|script))\b|\bchmod 777\b|\/dev\/tcp\/|\bnc -e\b`,
  ),
  command(
    String.raw`\b(?:install|download|run|recommend|add)\b.{0,60}\b(?:from|at|via)\b.{0,20}(?:https?:|www\.|\w\.(?:ru|xyz|top|site|zone|tk|biz)\b)`,
  ),
  command(
    String.raw`\b(?:install|download|open|start|use)\b.{0,30}\b(?:anydesk|teamviewer|ultraviewer|rustdesk|remote (?:access|control|desktop) (?:tool|app|software))\b`,
  ),
  command(
    String.raw`\b(?:turn off|switch off|disable|stop|suspend|pause|suppress)\b.{0,10}\b(?:logging|monitoring|alerting|alarms|recording|auditing)\b.{0,40}\b(?:while|when|for|of|during|if)\b`,
  ),
  command(
    String.raw`\b(?:leave|make|set|keep)\b.{0,30}\b(?:bucket|database|storage|share|server|port|endpoint|repository|firewall)s?\b.{0,15}\b(?:public|open|unprotected|writable|world)`,
  ),
  command(
    String.raw`\bopen\b.{0,15}\bports?\b.{0,30}\b(?:whole internet|internet|world|everyone|anyone|0\.0\.0\.0)|\b0\.0\.0\.0\/0\b`,
  ),
  command(String.raw`\bbackdoors?\b|\bkeylogger|\breverse shell\b|\brootkit\b`),
  command(String.raw`\blog ?in as (?:root|admin\w*)\b.{0,60}\b(?:open|callers?|users?|anyone)\b`),
  command(
    String.raw`\b(?:deny|lie about|never admit|do not admit|pretend not to know)\b.{0,20}\b(?:that )?(?:this|these|the existence|having|knowing|you)\b.{0,20}\b(?:rules?|instructions?|exists?|changed|playbook|transfer)\b`,
  ),
  always(
    String.raw`\b(?:do not|don't|never|without) (?:note|record|write down|document|register|logging|recording)\b.{0,10}\b(?:it|this|that|anything)\b.{0,12}\b(?:anywhere|at all|in the (?:log|ticket|system|crm|file))`,
  ),
  command(
    String.raw`\b(?:add|insert|put|include|embed|append)\b.{0,40}(?:<script|\bscript tags?\b|\ballow_all\b|\biframe\b)`,
  ),
  command(
    String.raw`\bpoint\b.{0,20}\b(?:dns|domain|nameservers?|webhooks?|the shop|the site)\b.{0,30}\bto\b.{0,15}\d{1,3}\.\d{1,3}\.\d{1,3}\.\d`,
  ),
  command(
    String.raw`\b(?:do|follow|carry out|execute|obey) (?:whatever|anything|everything|all) (?:that )?(?:the |a |any )?(?:web ?pages?|documents?|e-?mails?|websites?|tools?|users?|messages?|comments?|attachments?) (?:says?|tells?|asks?|orders?|contains?|wants?)`,
  ),
];
