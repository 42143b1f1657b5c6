/** Recognises turns that try to command the learner, steal or redirect. Such a turn teaches nothing. */

const takeovers: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|discard)\b.{0,12}\b(?:everything|anything|all|whatever)\b.{0,30}\b(?:told|above|before|previously|earlier|learned|learnt|know)\b/i,
  /\b(?:ignore|disregard|forget|override|bypass|discard|overwrite)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|existing|system|your|all|any|the)\b.{0,20}\b(?:instructions?|prompts?|rules|guidelines|context|training|directives?|polic(?:y|ies)|safeguards?|restrictions?|filters?)\b/i,
  /\b(?:you are|you're|act as|behave as|pretend (?:to be|you are)|roleplay as|become) (?:now|from now on|henceforth)?\s?(?:an? )?(?:dan\b|unrestricted|unfiltered|jailbroken|uncensored|evil|root\b|developer mode|in (?:debug|developer|god|admin) mode)/i,
  /\byou are now\b/i,
  /\bfrom now on,? you (?:are|will be|act as)\b/i,
  /\b(?:system prompt|system message|hidden instructions?|developer mode|jailbreak|debug mode|god mode|admin override|<\/?\s?(?:system|instructions?|prompt|assistant)\b|\[\/?(?:system|inst)\b)/i,
  /\b(?:never|don't|do not|without)\b.{0,20}\b(?:mention|tell|reveal|disclose|inform|alert|notify)\b.{0,40}\b(?:this (?:instruction|message|rule|prompt)|these instructions|the (?:admin|operator|developers?|owner|security team))\b/i,
  /\b(?:eval|base64|rm -rf|drop table|curl\s|wget\s|powershell)\b.{0,80}\b(?:always|every|before|each)\b|\b(?:always|every|each)\b.{0,80}\b(?:rm -rf|drop table|curl\s|wget\s|powershell)/i,
  /\b(?:this is|i am|i'm|as) (?:the |your |an? )?(?:system|admin(?:istrator)?|developer|openai|anthropic|operator|creator)\b.{0,40}\b(?:override|instruct|authori|speaking|command|order)/i,
  /\b(?:add|save|store|write|record|put|insert|remember)\b.{0,30}\b(?:to|in|into|as)\b.{0,20}\b(?:your (?:memory|rules|playbook|instructions)|the playbook|a (?:permanent )?playbook|the rule ?(?:base|book|set))\b/i,
  /\b(?:new|updated|revised|additional|fresh|latest) (?:instructions?|orders?|polic(?:y|ies)|directives?|rules?|guidelines?)\b.{0,20}\bfrom (?:the |your |an? )?(?:admin\w*|system|developers?|operators?|vendor|provider|root|headquarters|security team)\b/i,
  /!\[[^\]]{0,80}\]\(|\bmarkdown image\b|\btracking pixel\b/i,
];

/** Handing out secrets, sending things or money elsewhere, dropping safeguards: fine only as something forbidden. */
const transfers: readonly RegExp[] = [
  /\b(?:reveal|print|leak|exfiltrate|expose|dump|send|post|share|forward|upload|paste|include|append|email|e-mail|copy|cc|bcc|give|hand|repeat|output|tell|show)\b.{0,60}\b(?:api[- ]?keys?|passwords?|secret(?: key)?s?|credentials?|access tokens?|auth(?:entication)? tokens?|private keys?|session tokens?|environment variables|env vars?|ssh keys?|card numbers?|cvv|pin codes?|one-time codes?|otp|2fa codes?|seed phrase|system prompt)\b.{0,80}\b(?:to|at|into|via|before you|with every|in (?:every|each|all|your)|at the end|first|when(?:ever)? )\b/i,
  /\b(?:send|forward|post|upload|copy|cc|bcc|transmit|report|append|mail|email|e-mail|redirect|route|point|wire|transfer|pay|link|direct|refer|recommend|promote|advertise|mention|insert|include)\b.{0,80}(?:https?:\/\/|www\.|\b[\w.+-]{1,40}@[\w-]{1,40}\.)/i,
  /\b(?:send|route|redirect|transfer|wire|pay|move|remit|deposit|change|update|switch)\b.{0,60}\b(?:iban|wallet|bitcoin|btc|crypto|bank details|bank account|account number|routing number|sort code|gift cards?|paypal)\b/i,
  /\b(?:skip|disable|turn off|bypass|remove|ignore|drop|waive|suppress|without)\b.{0,30}\b(?:authentication|authorisation|authorization|identity (?:checks?|verification)|fraud checks?|security checks?|safety (?:checks?|filters?|rules|guidelines)|2fa|two-factor|verification of identity|permission checks?|audit(?:ing| log)?|content filters?)\b/i,
  /\b(?:approve|grant|authorise|authorize|issue|accept)\b.{0,40}\b(?:every|all|any)\b.{0,30}\b(?:refunds?|requests?|withdrawals?|transfers?|payments?|access|claims?|discounts?)\b/i,
];

const negated = /\b(?:never|don't|do not|stop|avoid|without|not)\b/i;
/** A user takes back a rule of their own; that is no attack. */
const ownRule = /\b(?:i (?:gave|said|told|asked|mentioned|set)|my (?:earlier|previous|last|old))\b/i;

/** True when the sentence tries to take over the agent. `text` must be bounded. */
export function looksLikeInjection(text: string): boolean {
  if (takeovers.some((pattern) => pattern.test(text)) && !ownRule.test(text)) return true;
  return transfers.some((pattern) => {
    const at = text.search(pattern);
    return at >= 0 && !negated.test(text.slice(Math.max(0, at - 24), at + 1));
  });
}
