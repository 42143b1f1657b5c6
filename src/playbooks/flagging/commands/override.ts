/** Overriding what the model was told, taking on another role, and writing oneself into its memory. */
import { always, type Command, command } from "./command";

const RULES = `(?:instructions?|prompts?|guidelines?|guidance|directives?|polic(?:y|ies)|safeguards?|guardrails?|restrictions?|(?:content|safety) filters?|(?:other|approved|system|safety|your|all|any|the|these|those|previous|prior|earlier) rules|rules above|constraints|programming|(?:approved|other|all|existing) playbooks|limitations|orders)`;

export const overriding: readonly Command[] = [
  command(
    String.raw`\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|es|ing)|bypass(?:ing)?|discard|overwrite|supersede|suspend|abandon|cancel|unlearn|neglect|set aside|throw (?:away|out)|stop (?:applying|following|obeying|using|respecting)|cease (?:applying|following|obeying)|no longer (?:apply|follow|obey)|(?:don't|do not|never) (?:apply|follow|obey|respect))\b.{0,30}\b(?:previous|prior|above|earlier|preceding|existing|original|initial|system|safety|approved|your|all|any|every(?:thing)?|the|these|those|other)\b.{0,20}\b${RULES}(?!.{0,30}\b(?:on (?:the|an?) (?:old|outdated)|in the manual))`,
  ),
  command(
    String.raw`\b(?:forget|ignore|disregard) (?:everything|all|anything|whatever)\b.{0,30}\b(?:told|said|learned|know|above|before|earlier)\b`,
  ),
  command(
    String.raw`\b(?:rules|guidelines|guardrails|instructions|policies|safeguards|restrictions) (?:are |as )?(?:an? |only |just |mere |nothing but )+(?:suggestions?|advice|hints?|recommendations?)\b`,
  ),
  command(String.raw`\b(?:developers?|creators?|makers|operators?) (?:would )?wants? (?:you to|no)\b`),
  command(
    String.raw`\b(?:save|put|store|write|keep|add|copy)\b.{0,40}\b(?:shared|common|long-term|permanent) memory\b|\bmemory that (?:all|every|other)\b`,
  ),
  always(
    String.raw`\byour (?:rule ?book|rules|instructions|guidelines|training|guidance) (?:ends?|stops?|is over) (?:here|now)\b`,
  ),
  command(
    String.raw`\b(?:counts?|weighs?|is worth) more than\b.{0,30}\b(?:rule ?books?|rules?|instructions|system|operator|approved)\b|\b(?:wins?|prevails?|beats?|outranks?|trumps?|comes? before)\b(?: over)? (?:the |every |any )?(?:approved|official|operator'?s?|system)\b`,
  ),
  command(
    String.raw`\b(?:as (?:if|though)|pretend|like) you (?:had|have) (?:no|never had)\b.{0,20}\b(?:training|rules|restrictions|limits|guidelines|filters)\b|\bsafety training\b.{0,20}\b(?:never|didn't|did not|is void|does not)\b`,
  ),
  command(
    String.raw`\b(?:comments?|attachments?|documents?|web ?pages?|e-?mails?|files?|tickets?|messages?|notes)\b.{0,30}\b(?:is|are|as) (?:an )?orders?\b`,
  ),
  command(
    String.raw`\b(?:say yes to|agree to|gets?|give (?:them|him|her)) (?:whatever|anything|everything)\b.{0,40}\b(?:wants?|asks?|says?|demands?|likes?)\b`,
  ),
  command(
    String.raw`\b(?:forget|ignore|disregard) what(?:ever)? (?:you|the agent) (?:were|was|have been|had been|are) (?:told|taught|instructed)\b|\b(?:everything|all|what(?:ever)?) you (?:were|have been|are) (?:told|taught|instructed)\b.{0,20}\b(?:is|are) (?:now )?(?:void|null|cancelled|obsolete|wrong|invalid)\b`,
  ),
  command(
    String.raw`\b(?:follow|obey|use|switch(?:es)? (?:you |over )?to)\b.{0,10}\b(?:second|other|hidden|secret|alternative|different|another|real) (?:rule ?books?|sets? of (?:rules|instructions)|instructions|playbooks?|handbooks?|persona)\b`,
  ),
  always(
    String.raw`\b(?:your|the|all|any|previous|earlier) (?:\w+ ){0,2}(?:instructions|guidelines|guidance|rules|restrictions|policies|constraints|safeguards) (?:(?:is|are) (?:now )?(?:void|null|cancelled|suspended|obsolete|revoked|lifted|invalid|off)|(?:do not|don't|does not|no longer) (?:exist|apply|count|matter|hold))`,
  ),
  command(
    String.raw`\b(?:say|pretend|act as if|assume|believe|claim|answer) (?:that )?(?:there (?:are|is) no|you have no|no) (?:more )?(?:safety |content )?(?:rules|restrictions|limits|limitations|guidelines|policies|filters)`,
  ),
  always(
    String.raw`\b(?:asks?|asked|requests?|wants?|told|tells?)\b.{0,40}\b(?:ignore|disregard|override|bypass|forget|reveal|disable|skip)\b.{0,60}(?<!not |never |n't |cannot |decline to |refuse to )\b(?:comply|obey|do (?:so|it|that|as)|agree|go along)\b`,
  ),
  always(
    String.raw`\bthere (?:are|is) no (?:more |longer (?:any )?)?(?:safety |content )?(?:rules|restrictions|limits|guidelines|filters|policies) (?:any ?more|now|left)\b`,
  ),
  command(
    String.raw`\blisten (?:only|exclusively|just) to (?:my|me|what i|this)\b|\b(?:nothing that|not (?:to )?what|rather than what|more than what) the (?:operator|system|developers?|admin\w*) (?:wrote|says?|said|set|wants?)\b`,
  ),
  command(
    String.raw`\b(?:obey|follow|listen to|do|execute) (?:only|exclusively|nothing but) (?:what|my|this|these|the following|me)\b`,
  ),
  always(
    String.raw`\b(?:this|these|the following) (?:rules?|instructions?|message|directives?|playbook) (?:takes? (?:precedence|priority)|overrides?|supersedes?|outranks?|replaces?|beats?|wins? over)\b.{0,40}\b(?:all|any|every|other|previous|system|safety|existing)\b`,
  ),
  always(
    String.raw`\b(?:updated|real|actual|true|secret|new) (?:system )?(?:instructions?|prompt|directives?)\s?[:=]`,
  ),
  always(
    String.raw`\b(?:end|begin|start) of (?:the )?(?:system |user |untrusted )?(?:prompt|instructions|context)\b`,
  ),
  command(
    String.raw`\byou are (?:now|no longer) (?:an?|in|the|my|free|dan|bound|allowed|able|restricted|required|called|acting|operating|unrestricted|root|admin|\w+(?:gpt|bot))\b`,
  ),
  command(
    String.raw`\bfrom now on,? (?:you (?:are|will be|must (?:act|obey|be|answer|do))|act as|respond as|behave as)\b`,
  ),
  command(
    String.raw`\b(?:act|behave|respond|roleplay|role-play|pretend) (?:as|as if|to be|you are|like|you're)\b.{0,40}\b(?:dan|unrestricted|unfiltered|jailbroken|uncensored|evil|root|no (?:rules|restrictions|filters?|limits)|without (?:rules|restrictions|filters?|limits)|(?:developer|debug|god|admin|sudo) mode|the (?:system|admin(?:istrator)?|developer|operator))\b`,
  ),
  command(
    String.raw`\b(?:jailbreak\w*|do anything now|god mode|sudo mode|dan mode|admin(?:istrator)? override|developer override|system override)\b`,
  ),
  command(
    String.raw`\b(?:enter|enable|activate|switch (?:in)?to|turn on|go into) (?:the )?(?:developer|debug|god|admin|maintenance|unrestricted|unsafe) mode\b`,
  ),
  always(
    String.raw`<\/?\s?(?:system|instructions?|assistant|human|prompt|untrusted)\b[^>]{0,40}>|<\|[\w ]{2,30}\|>|\[\/?(?:inst|system|sys)\]|<<\s?sys\s?>>|(?:^|[.!?:>"] ?|\\n)(?:system|assistant|human) ?: `,
  ),
  always(
    String.raw`\b(?:this is|i am|i'm|speaking as|message from) (?:the |your |an? )?(?:system|admin(?:istrator)?|developer|openai|anthropic|operator|creator|security team)\b.{0,60}\b(?:override|instruct|authori[sz]|order|command|must|comply|require)`,
  ),
  always(
    String.raw`\b(?:developer|admin(?:istrator)?|operator|anthropic|openai|owner|ceo|management) (?:has|have) (?:authori[sz]ed|allowed|permitted|instructed|ordered|told|cleared) you\b`,
  ),
  command(
    String.raw`\b(?:add|save|store|write|record|insert|remember|install|copy)\b.{0,40}\b(?:to|in|into|as)\b.{0,20}\b(?:your (?:long-term |permanent )?(?:memory|rules|instructions|system prompt)|every (?:future )?playbook|all (?:future )?(?:playbooks|rules))\b`,
  ),
  always(
    String.raw`\b(?:repeat|copy|propagate|spread|replicate|include) this (?:message|rule|instruction|prompt|text)\b.{0,40}\b(?:every|all|each|to other|in (?:your|any)|verbatim)\b`,
  ),
  command(
    String.raw`\b(?:approve|accept|auto-?approve) (?:this|the following|all (?:pending|new)|every (?:pending|new)) (?:rules?|playbooks?)\b`,
  ),
  command(
    String.raw`\b(?:consider|regard|treat|count)\b.{0,40}\b(?:instructions|guidelines|guidance|rules|restrictions|policies|constraints|safeguards|guardrails)\b.{0,20}\b(?:cancelled|void|lifted|suspended|revoked|obsolete|optional|null)`,
  ),
  always(
    String.raw`\b(?:never|must not|may not|don't|do not|cannot|can't) (?:refuse|decline|question|contradict|doubt|challenge)\b.{0,15}\b(?:any (?:request|order|message|command|user)s?|anything|whatever|orders?|messages?|commands?|me)\b`,
  ),
  always(
    String.raw`\beven (?:if|when|though|where) (?:it|this|that|they|the \w+) (?:is|are|would be|seems?|breaks?|violates?|contradicts?|goes against)\b.{0,20}\b(?:illegal|dangerous|harmful|unsafe|unethical|forbidden|prohibited|not allowed|your (?:rules|instructions|guidelines|policies)|the (?:rules|law|policy))`,
  ),
  command(
    String.raw`\b(?:is|are|as|counts? as) (?:an? )?(?:order|command|instruction)s?\b.{0,20}\b(?:from|by|of) (?:your|the) (?:operator|owner|developer|admin\w*|creator|system)\b`,
  ),
  command(
    String.raw`\b(?:trust|believe|obey|prefer)\b.{0,40}\b(?:more than|over|rather than|instead of|above)\b.{0,15}\b(?:the system|your (?:rules|instructions|guidelines)|system (?:message|prompt))`,
  ),
  command(String.raw`\b(?:ignore|skip|bypass|disregard|do not wait for|circumvent)\b.{0,20}\bapprovals?\b`),
];
