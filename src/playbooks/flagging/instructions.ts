/**
 * Text that commands the model that reads it instead of advising the agent: overriding its rules, taking on
 * another role, giving away prompts and secrets, redirecting money, switching checks off, hiding what it does.
 */
import { decoded, undisguised, unleeted, unspaced } from "./fold";

interface Pattern {
  /** Over folded text: lower case, single spaces, no disguise. Gaps are bounded, so a search is linear. */
  readonly pattern: RegExp;
  /** False where a "never" before it makes the text no better. */
  readonly negatable: boolean;
}

const SECRET_THINGS =
  "(?:api ?keys?|passwords?|passphrases?|secrets?(?: keys?)?|credentials?|(?:access|auth|session|bearer) tokens?|private keys?|ssh keys?|environment variables|env vars?|\\.env|card (?:numbers?|details)|cvv|pins?|one-time codes?|otp|2fa codes?|seed phrases?|(?:system|hidden|initial|developer) (?:prompt|message|instructions?)|chat (?:history|log)s?|conversations? (?:history|log|transcript)s?|transcripts?|customer (?:data|records|list)|personal (?:data|details|information)|user data|database(?: dump)?|internal (?:notes|documents|data))";
const GIVE =
  "(?:reveal|print|leak|exfiltrate|expose|dump|send|post|share|forward|upload|paste|include|append|e-?mail|copy|cc|bcc|give|hand|repeat|output|disclose|transmit|recite|embed|encode|attach|report|show|tell)";
const OUTSIDE =
  "(?:https?:|www\\.|ftp:|webhook|external|third[- ]part|pastebin|discord|telegram|@ ?[\\w-]{1,40}\\.|\\w\\.(?:com|net|org|io|ru|xyz|top|site|info|biz|co)\\b|(?:this|the following|my|our) (?:url|address|server|endpoint|number|mailbox|inbox|account)|attacker)";

const p = (source: string, negatable = true): Pattern => ({ pattern: new RegExp(source, "gu"), negatable });

const PATTERNS: readonly Pattern[] = [
  // Overriding what the model was told.
  p(
    "\\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|es|ing)|bypass(?:ing)?|discard|overwrite|supersede|suspend|drop|abandon|cancel|unlearn)\\b.{0,30}\\b(?:previous|prior|above|earlier|preceding|existing|original|initial|system|safety|your|all(?: of)?(?: the| your| other)?|any|every(?:thing)?|the|these|those|other)\\b.{0,20}\\b(?:instructions?|prompts?|guidelines|directives?|polic(?:y|ies)|safeguards?|guardrails?|restrictions?|(?:content|safety) filters?|training|(?:other |approved |system |safety )rules|constraints|programming)\\b",
  ),
  p("\\bforget (?:everything|all)\\b.{0,30}\\b(?:told|said|learned|know|above|before)\\b"),
  p(
    "\\b(?:this|these|the following) (?:rules?|instructions?|message|directives?) (?:takes? precedence|overrides?|supersedes?|outranks?|replaces?)\\b.{0,40}\\b(?:all|any|every|other|previous|system|safety|existing)\\b",
    false,
  ),
  p(
    "\\b(?:new|updated|real|actual|true|secret) (?:system )?(?:instructions?|prompt|directives?)\\s?[:=]",
    false,
  ),
  p(
    "\\b(?:end|begin|start) of (?:the )?(?:system |user |untrusted )?(?:prompt|instructions|context|data)\\b",
    false,
  ),
  // Another role.
  p("\\byou are (?:now|no longer)\\b"),
  p("\\bfrom now on,? (?:you (?:are|will|must|act)|act as|respond as|behave as)\\b"),
  p(
    "\\b(?:act|behave|respond|roleplay|role-play|pretend) (?:as|as if|to be|you are|like|you're)\\b.{0,40}\\b(?:dan|unrestricted|unfiltered|jailbroken|uncensored|evil|root|no (?:rules|restrictions|filters?|limits)|without (?:rules|restrictions|filters?|limits)|(?:developer|debug|god|admin|sudo) mode|the (?:system|admin(?:istrator)?|developer|operator))\\b",
  ),
  p(
    "\\b(?:jailbreak\\w*|do anything now|god mode|sudo mode|dan mode|admin(?:istrator)? override|developer override)\\b",
  ),
  p(
    "\\b(?:enter|enable|activate|switch to|turn on) (?:the )?(?:developer|debug|god|admin|maintenance|unrestricted) mode\\b",
  ),
  p(
    '(?:<\\/?\\s?(?:system|instructions?|assistant|human|prompt|untrusted)\\b[^>]{0,40}>|<\\|[\\w ]{2,30}\\|>|\\[\\/?(?:inst|system|sys)\\]|<<\\s?sys\\s?>>|(?:^|[.!?:>"] ?|\\\\n)(?:system|assistant|human) ?: )',
    false,
  ),
  p(
    "\\b(?:this is|i am|i'm|speaking as|message from) (?:the |your |an? )?(?:system|admin(?:istrator)?|developer|openai|anthropic|operator|creator|security team)\\b.{0,60}\\b(?:override|instruct|authori[sz]|order|command|must|comply|require)",
    false,
  ),
  // Giving away.
  p(
    `\\b${GIVE}\\b.{0,60}\\b(?:your|the|its|my|our|full|entire|hidden|original|initial|above)\\b.{0,20}\\b(?:system prompt|system message|hidden (?:prompt|instructions?)|initial (?:prompt|instructions)|developer (?:message|prompt|instructions)|prompt verbatim|instructions verbatim)\\b`,
  ),
  p(`\\b${GIVE}\\b.{0,80}\\b${SECRET_THINGS}.{0,80}${OUTSIDE}`),
  p(`\\b${GIVE}\\b.{0,40}${OUTSIDE}.{0,80}\\b${SECRET_THINGS}`),
  p(
    `\\b(?:ask|request|collect|harvest|obtain|get|gather|prompt)\\b.{0,40}\\b(?:for |their |the )?(?:full )?(?:password|passphrase|card number|cvv|pin code|pin|one-time code|otp|2fa code|seed phrase|social security|private key|recovery phrase)s?\\b`,
  ),
  p(
    `\\b(?:always|every (?:time|reply|answer|response|message)|each (?:reply|answer|response|message)|at the end of|before answering)\\b.{0,60}\\b${GIVE}\\b.{0,40}\\b${SECRET_THINGS}`,
  ),
  p(
    `\\b${GIVE}\\b.{0,40}\\b(?:api ?keys?|passwords?|private keys?|credentials|(?:access|session) tokens?|system prompt|environment variables)\\b.{0,40}\\b(?:if|when(?:ever)?|to (?:anyone|anybody|everyone|whoever|any|the (?:user|customer|caller|requester)|users|customers)|on request|upon request|who asks?|in (?:every|each|all|the) (?:repl|answer|response|message|log))`,
  ),
  p(
    "\\b(?:bcc|cc|forward|copy|mirror|duplicate|redirect|route)\\b.{0,60}\\b(?:e-?mails?|messages?|replies|conversations?|orders?|invoices?|reports?|data|files?|attachments?|calls?|notifications?)\\b.{0,50}(?:https?:|www\\.|@ ?[\\w-]{1,40}\\.|webhook|\\w\\.(?:ru|xyz|top|site|biz|tk)\\b)",
  ),
  p("!\\[[^\\]]{0,80}\\]\\(|\\b(?:tracking pixel|markdown image)\\b", false),
  // Money.
  p(
    "\\b(?:send|rout(?:e|ing)|redirect|transfer|wire|pay|move|remit|deposit|issue|refund|change|updat(?:e|ing)|switch|replace|set|direct)\\b.{0,70}\\b(?:to|into|with|for)\\b.{0,40}(?:\\biban\\b|\\b(?:wallet|bitcoin|btc|ethereum|usdt|crypto\\w*|gift ?cards?|western union|moneygram|cash ?app|venmo|zelle)\\b|\\b(?:bank )?account (?:number )?(?:[a-z]{2})?\\d{3,}|\\b[a-z]{2}\\d{2} ?(?:[a-z0-9]{4} ?){2,}|\\b0x[0-9a-f]{8,}|\\b(?:bc1|[13])[a-z0-9]{20,}\\b|\\bpaypal\\.me\\b|\\b(?:our|my|the) new (?:bank )?account\\b|\\b(?:my|our) (?:bank )?account\\b)",
  ),
  p(
    "\\b(?:change|update|replace|switch|swap|edit|alter)\\b.{0,40}\\b(?:payment|payout|bank|billing|beneficiary|supplier'?s?|vendor'?s?|invoice|routing|remittance)\\b.{0,20}\\b(?:details|account|target|address|destination|number|information|link)\\b.{0,40}\\b(?:to|with|without|when(?:ever)? asked|on request|by e-?mail)\\b",
  ),
  p(
    "\\b(?:approve|grant|authori[sz]e|issue|accept|process|give|refund|offer|waive|allow)\\b.{0,40}\\b(?:every|all|any|full|each)\\b.{0,30}\\b(?:refunds?|withdrawals?|transfers?|payments?|access|claims?|discounts?|requests?|permissions?|privileges|fees?|charges)\\b.{0,60}\\b(?:without|no questions|immediately|automatically|regardless|no matter|unconditionally|instantly|never (?:ask|check|verify)|who (?:says?|asks?|mentions?)|if (?:they|the user|someone) (?:says?|asks?|mentions?))",
  ),
  p(
    "\\b(?:refund|discount|pay|credit|payout|coupon|gift card)s?\\b.{0,60}\\b(?:without (?:any )?(?:check|verif|ask|approv|review|proof|receipt|limit)\\w*|no questions asked|regardless of (?:amount|policy|the))",
  ),
  p(
    "\\b(?:100|90|99) ?(?:%|percent) (?:off|discount)\\b.{0,60}\\b(?:everyone|every|all|any|anyone|who|code)\\b",
  ),
  // Switching checks off.
  p(
    "\\b(?:skip|disable|turn off|switch off|bypass|remove|ignore|drop|waive|suppress|deactivate|circumvent|do without|no need (?:for|to)|never (?:ask for|require|perform|do|run))\\b.{0,40}\\b(?:authentication|authori[sz]ation|identity (?:checks?|verification|proof)|(?:id|kyc|aml|fraud|security|safety|permission|compliance|sanctions) (?:checks?|verification|filters?|review|controls?)|2fa|mfa|two-factor|verif(?:y|ication)(?: of)? (?:identity|the (?:caller|user|customer))|audit(?:ing| logs?| trail)?|content filters?|approval (?:step|gate|process)|human (?:review|approval)|access controls?|certificate (?:checks?|validation|verification)|tls verification|firewall|antivirus|security scann?\\w*)\\b",
  ),
  p(
    "\\b(?:treat|trust|accept|consider|assume)\\b.{0,40}\\b(?:as|is|are)\\b.{0,20}\\b(?:admin(?:istrator)?s?|root|owner|superuser|verified|authenticated|authori[sz]ed|pre-approved)\\b.{0,60}\\b(?:without|if (?:they|he|she|the user|someone)|when(?:ever)?|who|regardless)\\b",
  ),
  p(
    "\\b(?:anyone|anybody|everyone|whoever|users?|callers?|customers?|people) (?:who )?(?:says?|mentions?|types?|claims?|knows?|uses?)\\b.{0,50}\\b(?:is|are|gets?|should (?:be|get|receive)|must (?:be|get)|has|have|receives?)\\b.{0,30}\\b(?:admin(?:istrator)?|root|full access|verified|authori[sz]ed|unlimited|free|access to (?:all|every))\\b",
  ),
  // Hiding.
  p(
    "\\b(?:never|don't|do not|without|must not|should not|avoid)\\b.{0,20}\\b(?:mention(?:ing)?|tell(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|inform(?:ing)?|alert(?:ing)?|notify(?:ing)?|show(?:ing)?|report(?:ing)?|log(?:ging)?)\\b.{0,40}\\b(?:this (?:instruction|message|rule|prompt|step|change|transfer|action|playbook)|these (?:instructions|rules|steps)|that you (?:were|are|did|have|follow)|(?:the |any |an? )?(?:admin\\w*|operators?|developers?|security team|reviewers?|moderators?|auditors?|supervisors?|account owner|owner))\\b",
    false,
  ),
  p(
    "\\b(?:secretly|covertly|silently|discreetly|quietly|unnoticed|behind the scenes|without (?:the )?(?:user|customer|owner|admin|anyone)(?:'s)? (?:knowing|knowledge|noticing|consent))\\b.{0,80}\\b(?:send|forward|copy|add|append|transfer|upload|record|log|include|insert|change|install|share|collect|store|charge|subscribe|enrol)\\w*",
  ),
  p(
    "\\b(?:send|forward|copy|add|append|transfer|upload|record|include|insert|change|install|share|collect|charge|subscribe|enrol)\\w*\\b.{0,80}\\b(?:secretly|covertly|silently|unnoticed|without (?:the )?(?:user|customer|owner|admin|anyone)(?:'s)? (?:knowing|knowledge|noticing|consent)|without telling)\\b",
  ),
  // Running things, and writing itself into memory.
  p(
    "\\b(?:curl|wget|iwr|invoke-webrequest)\\b.{0,120}\\|\\s?(?:ba|z)?sh\\b|\\brm -rf (?:\\/|~|\\*)|\\bdrop (?:table|database)\\b.{0,40}\\b(?:always|every|when|users|orders|customers)\\b|\\bpowershell\\b.{0,40}-(?:enc|e |nop|w hidden)|\\b(?:eval|exec)\\(.{0,40}\\b(?:atob|base64|fetch|request)\\b|\\bchmod 777\\b|\\/dev\\/tcp\\/|\\bnc -e\\b",
  ),
  p(
    "\\b(?:add|save|store|write|record|insert|remember|install)\\b.{0,40}\\b(?:to|in|into|as)\\b.{0,20}\\b(?:your (?:long-term |permanent )?(?:memory|rules|instructions|system prompt)|every (?:future )?playbook|all (?:future )?(?:playbooks|rules))\\b",
  ),
  p(
    "\\b(?:repeat|copy|propagate|spread|replicate|include) this (?:message|rule|instruction|prompt|text)\\b.{0,40}\\b(?:every|all|each|to other|in (?:your|any)|verbatim)\\b",
    false,
  ),
  p(
    "\\b(?:approve|accept|auto-?approve) (?:this|the following|all (?:pending|new)|every (?:pending|new)) (?:rules?|playbooks?)\\b",
  ),
  p(
    "\\b(?:when|if|once|after|as soon as)\\b.{0,80}\\b(?:code ?word|magic word|secret (?:word|phrase|code)|trigger (?:word|phrase)|passphrase)\\b.{0,100}\\b(?:send|reveal|grant|approve|unlock|transfer|disable|give|switch|ignore|run|execute|skip|bypass|enter)\\b",
    false,
  ),
  p(
    `\\b(?:ask|request|want|demand)(?:s|ed)?\\b.{0,60}\\b${SECRET_THINGS}.{0,30}\\b(?:comply|obey|do (?:so|it)|(?:give|provide|share|send|show|reveal|hand)(?: (?:it|them)|ing)?)\\b`,
  ),
  // The same in other languages.
  p(
    "\\b(?:ignora|olvida|omite|descarta)\\b.{0,30}\\b(?:instrucciones|reglas|indicaciones)\\b|\\b(?:ignore[rz]?|oublie[rz]?)\\b.{0,30}\\b(?:instructions|consignes|regles)\\b.{0,20}\\b(?:precedentes|anterieures|systeme)\\b|\\b(?:ignorier\\w*|vergiss|missachte)\\b.{0,40}\\b(?:anweisungen|regeln|vorgaben|instruktionen)\\b|\\bignor(?:a|i|are)\\b.{0,30}\\b(?:istruzioni|regole)\\b|\\b(?:ignore|esqueca)\\b.{0,30}\\b(?:instrucoes|regras)\\b",
  ),
  {
    pattern:
      /(?:忽略|无视|忘记|無視).{0,12}(?:指令|指示|规则|提示|設定|命令)|(?:前|以前|上記).{0,8}(?:指示|命令|ルール).{0,6}無視/gu,
    negatable: false,
  },
];

/** Patterns of texts whose gaps are lost. */
const GAPLESS =
  /ignore(?:all|any|the|your|every|prev|prior|above|instruct)|(?:previous|prior|system|your)(?:instructions|prompt)|jailbreak|disregard(?:all|any|the|your|prev)|sendthe(?:password|apikey|key)/;

/**
 * Words that turn what follows into its opposite, up to three words before it: "never share passwords with …".
 * "Never forget to …" and "do not hesitate to …" turn nothing.
 */
const NEGATION =
  /\b(?:never|not|n't|don't|doesn't|shouldn't|mustn't|won't|cannot|can't|avoid|refuse(?:s|d)?(?: to)?|decline(?:s|d)?(?: to)?|prevent(?:s|ed)?|forbid(?:s|den)?|prohibit(?:s|ed)?|reject(?:s|ed)?|instead of|rather than|without|no longer|block(?:s|ed)?|attempts? to|tries to|try to|(?:asks?|asked|asking|requests?|wants?)(?: \w+){0,3} to)\b[ :,-]{0,3}(?:\w[\w']{0,15} ){0,3}$/;
const FALSE_NEGATION =
  /\b(?:hesitate|forget|fail|neglect|omit|refuse|stop|wait|worry|afraid|bother)\b[^.]{0,20}$/;

/** Looks at every match, also at one that begins inside another. */
function matches(text: string): boolean {
  return PATTERNS.some(({ pattern, negatable }) => {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      if (!negatable || !isNegated(text, match.index)) return true;
      pattern.lastIndex = match.index + 1;
    }
    return false;
  });
}

function isNegated(text: string, at: number): boolean {
  const sentence = /[^.!?;]*$/.exec(text.slice(Math.max(0, at - 60), at))?.[0] ?? "";
  return NEGATION.test(sentence) && !FALSE_NEGATION.test(sentence);
}

/** True when the text tries to take the agent over. Reads it plain, undisguised, unspaced and decoded. */
export function looksLikeInstruction(text: string): boolean {
  const folded = undisguised(text);
  const plain = unleeted(folded);
  const gapless = unspaced(folded);
  return (
    matches(folded) ||
    (plain !== null && matches(plain)) ||
    (gapless !== null && GAPLESS.test(gapless)) ||
    decoded(text).some((hidden) => matches(undisguised(hidden)))
  );
}
