/** Giving away prompts, secrets and other people's data, or asking users for what nobody may ask for. */
import { always, type Command, command } from "./command";

const CREDENTIALS = String.raw`(?:api ?keys?|passwords?|passphrases?|secrets?(?: keys?)?|credentials?|(?:access|auth|session|bearer) tokens?|private keys?|ssh keys?|environment variables|env vars?|\.env|cvv|pin codes?|(?:one-time|verification|security|login|sms) codes?|otp|2fa codes?|seed phrases?|recovery phrases?)`;
const INTERNALS = `(?:(?:system|hidden|initial|developer) (?:prompt|message|instructions?)|(?:hidden|secret) (?:configuration|settings|rules)|(?:prompt|instructions) verbatim)`;
const DATA = `(?:card (?:numbers?|details)|(?:chat|conversation) (?:history|logs?|transcripts?)|(?:each|every|all|the|this) conversations?|transcripts?|(?:customer|user|client|employee|patient)(?:'s|s')? (?:data|records?|lists?|table|database|e-?mails?|details|files?)|personal (?:data|details|information)|database dump|internal (?:notes|documents|data|files))`;
const THINGS = `(?:${CREDENTIALS}|${INTERNALS}|${DATA})`;
const GIVE = `(?:reveal|print|leak|exfiltrate|expose|dump|send|post|share|forward|upload|paste|include|append|e-?mail|mail|copy|cc|bcc|give|hand|repeat|output|disclose|transmit|recite|embed|encode|attach|report|show|tell|export|put|write|push|sync|back up|submit|publish)`;
const OUTSIDE = String.raw`(?:https?:|www\.|ftp:|webhook|external|third[- ]part|pastebin|\bgist\b|dropbox|discord|telegram|tracker|image url|url of an image|@ ?[\w-]{1,40}\.|\w\.(?:com|net|org|io|ru|xyz|top|site|info|biz|co|zone)\b|\b(?:this|the following|my|our) (?:url|address|server|endpoint|number|mailbox|inbox|account)|attacker|mallory)`;

export const disclosing: readonly Command[] = [
  command(String.raw`\b${GIVE}\b.{0,40}\b${INTERNALS}\b`),
  command(
    String.raw`\b(?:repeat|print|output|recite|quote|show|reveal|copy|echo)\b.{0,15}\b(?:everything|all|anything|the (?:text|words|content))\b.{0,15}\b(?:above|before this|so far|verbatim)\b`,
  ),
  command(
    String.raw`\b(?:text|words|message|instructions|lines) you (?:were|got|had|have been)(?: given| told| shown)? (?:at|in) (?:the )?(?:very )?(?:beginning|start|first)\b`,
  ),
  command(String.raw`\b${GIVE}\b.{0,80}(?<!\w)${THINGS}.{0,80}${OUTSIDE}`),
  command(String.raw`\b${GIVE}\b.{0,40}${OUTSIDE}.{0,80}(?<!\w)${THINGS}`),
  command(
    String.raw`\b(?:e-?mail|phone|address|name|order|account)s?\b.{0,40}\b(?:into|in|to|as)\b.{0,20}\b(?:url|query string|link|image)\b.{0,40}\b(?:image|tracker|loads?|our)\b`,
  ),
  command(
    String.raw`\b(?:ask|request|collect|harvest|obtain|get|gather|prompt|encourage|persuade|urge|have|tell|instruct)\b.{0,50}\b(?:for |their |the |his |her |to (?:share|send|give|tell|read|enter|type|provide) )(?:\w+ ){0,3}(?:password|passphrase|full card number|cvv|pin code|pin|(?:one-time|verification|security|login|sms) codes?|otp|2fa code|seed phrase|social security number|private key|recovery phrase)s?\b`,
  ),
  command(
    String.raw`\b(?:read|share|send|give|tell|forward|type)\b.{0,20}\b(?:out |you |us |me )?(?:the|their|that|any) (?:one-time |verification |security |login |sms )?code\b.{0,30}\b(?:with|to) (?:you|us|me|the agent|support)\b`,
  ),
  command(
    String.raw`\b(?:always|every (?:time|reply|answer|response|message)|each (?:reply|answer|response|message)|at the end of|before answering)\b.{0,60}\b${GIVE}\b.{0,40}(?<!\w)(?:${CREDENTIALS}|${INTERNALS})`,
  ),
  command(
    String.raw`\b${GIVE}\b.{0,40}(?<!\w)(?:${CREDENTIALS}|${DATA})\b.{0,40}\b(?:if|when(?:ever)?|to (?:anyone|anybody|everyone|whoever|any|the (?:user|caller|requester)|users|callers)|on request|upon request|who asks?|in (?:every|each|all) (?:repl|answer|response|message|log))`,
  ),
  command(
    String.raw`\b(?:asks?|requests?|wants|demands) (?:for|you|to)\b.{0,60}(?<!\w)(?:${CREDENTIALS}|${INTERNALS}).{0,30}\b(?:comply|obey|do (?:so|it)|(?:give|provide|share|send|show|reveal|hand) (?:it|them))\b`,
  ),
  command(
    String.raw`\b(?:bcc|cc|forward|copy|mirror|duplicate|redirect|route|relay|mail)\b.{0,60}\b(?:e-?mails?|messages?|replies|conversations?|orders?|invoices?|reports?|data|files?|attachments?|calls?|notifications?)\b.{0,50}(?:https?:|www\.|@ ?[\w-]{1,40}\.|webhook|\w\.(?:ru|xyz|top|site|biz|tk)\b|\bthird[- ]part)`,
  ),
  always(String.raw`!\[[^\]]{0,80}\]\(|\b(?:tracking pixel|markdown image)\b`),
  always(
    String.raw`\b(?:phrase|words?|keyword|sentence|message)\b ?(?:is |of |reads )?["'“«].{1,40}["'”»].{0,40}\b(?:by |to |then |and )?(?:export|send|reveal|grant|approv|unlock|dump|delet|wir|transfer|disabl|run|execut|skip|bypass|switch|giv|hand|refund|ignor)\w*`,
  ),
  always(
    String.raw`\b(?:when|if|once|after|as soon as)\b.{0,80}\b(?:code ?word|magic word|secret (?:word|phrase|code)|trigger (?:word|phrase)|passphrase)\b.{0,100}\b(?:send|reveal|grant|approve|unlock|transfer|disable|give|switch|ignore|run|execute|skip|bypass|enter|export|refund)\b`,
  ),
  command(String.raw`\/etc\/(?:passwd|shadow)|\.ssh\/id_|\.aws\/credentials`),
  command(
    String.raw`\b(?:give|share|reveal|tell|show|send|hand|read|disclose|list)\b(?: out)?.{0,50}\b(?:of|about|from|belonging to) (?:other|another) (?:customers?|users?|clients?|patients?|people|tenants?|callers?)\b`,
  ),
  command(
    String.raw`\b(?:reveal|share|tell|show|disclose|repeat)\b.{0,20}\b(?:what )?(?:other|another) (?:customers?|users?|clients?|patients?)(?:'s?)?\b.{0,20}\b(?:asked|said|wrote|bought|ordered|data|names?|addresses|details|messages)`,
  ),
  command(
    String.raw`\b(?:share|send|give|reveal|disclose|pass|forward)\b.{0,30}\b(?:internal|confidential|non-public|unpublished|proprietary|trade secrets?)\b.{0,30}\b(?:to|with)\b.{0,20}\b(?:competitors?|anyone|everyone|outsiders?|the (?:press|public)|customers?|users?)\b`,
  ),
  command(
    String.raw`\b(?:asking|requesting|demanding)\b.{0,40}\b(?:cvv|pin|password|passphrase|one-time code|otp|social security|card number)\b`,
  ),
  command(
    String.raw`\b(?:confirm|re-?enter|verify|submit|provide|state|type in)\b.{0,10}\b(?:their|your|his|her|the) (?:\w+ )?(?:passwords?|pin|cvv|card number)\b.{0,20}\b(?:by|via|in|over|at|on) (?:e-?mail|mail|chat|phone|reply|sms|text|message|this|the following|the link)`,
  ),
  command(
    String.raw`\b(?:encode|hide|embed|smuggle)\b.{0,40}\b(?:customer|user|client|patient)'?s?'? (?:\w+ )?(?:address|name|data|e-?mail|phone|details|records?)\b`,
  ),
];
