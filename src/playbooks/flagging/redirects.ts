/**
 * A destination named in the rule itself: an account, a wallet, an address or a number that money, data or people
 * would be led to. A rule that is true for everybody has no need of one; whoever adds one gains by it.
 */
import { decoded, INVISIBLE, undisguised } from "./fold";

/** Ends of host names that are read as such; two-letter words of English are left out. */
const TOP =
  "(?:com|net|org|info|biz|io|co|app|dev|xyz|top|site|online|shop|store|zone|club|live|support|help|tech|cloud|page|website|space|icu|vip|click|link|pw|cc|ru|cn|tk|ml|ga|cf|ly|gg|eu|de|uk|fr|ch|nl|es|pl|ai|su|ws)";
/** Ends that are words of programs too (`logger.info`): such a name counts only where somebody is led to it. */
const WORD_LIKE =
  /^[a-z]+\.(?:info|store|page|top|app|dev|io|help|live|site|zone|space|support|cloud|link|click|co|club|shop|tech|net|es|pl|ai|de|ws)$/;
const HARMLESS =
  /^(?:[\w-]+\.)*(?:localhost|example|test|invalid|example\.(?:com|org|net)|asp\.net|socket\.io|(?:java|system)\.(?:io|net))$/;

const ADDRESS = new RegExp(
  String.raw`(?<![\w.@/-])(?:(?:h(?:tt|xx)ps?|ftp|wss?):\/\/)?(?:([\w.+-]{1,64})@)?((?:[\w-]{1,63}(?:\.| ?\[(?:\.|dot)\] ?| ?\((?:\.|dot)\) ?| dot )){1,4}${TOP})\b(?!\.\w|\()`,
  "gu",
);
const IP_ADDRESS = /(?<![\d.])(?!127\.|0\.0\.0\.0)(?:\d{1,3}\.){3}\d{1,3}(?!\.?\d)/;
/** Mailboxes of a function: fine to write to, not to send money or data to. */
const ROLE_MAILBOX =
  /^(?:support|help(?:desk)?|info|no-?reply|donotreply|sales|security|abuse|legal|privacy|team|hello|contact|office|press|jobs|careers|service|feedback)$/;

const LEADS =
  /\b(?:send|sent|sends|forward\w*|direct|point|points|refer|route|redirect\w*|go(?:es)? to|visit|open|use|used|call|dial|ring|text|fax\w*|write to|mail\w*|e-?mail\w*|pay|paid|transfer\w*|wire\w*|deposit\w*|donat\w*|upload\w*|post\w*|share\w*|copy|copied|cop(?:y|ies) of|put|give|name|show|tell|link|download\w*|install\w*|pull\w*|push\w*|sign\w*|log|log ?in|check[- ]in|scan|confirm\w*|enter|set|settle|is at|are at|is on|found at|listed at|available at|add|receives?|belongs?|import|connect\w*|register\w*|contact|reach\w*|message)\b/;
const OF_WORTH =
  /\b(?:money|refunds?|payments?|invoices?|bills?|fees?|deposits?|donations?|data|files?|records?|lists?|reports?|contracts?|documents?|copies|copy|minutes|transcripts?|conversations?|logs?|passwords?|codes?|details|statements?)\b/;

/** Host names and addresses that are no sample; a function's mailbox only where something of worth goes there. */
function holdsAddress(sentence: string): boolean {
  const isLed = LEADS.test(sentence);
  return [...sentence.matchAll(ADDRESS)].some(([address, mailbox, host = ""]) => {
    const plain = host.replace(/ ?\[(?:\.|dot)\] ?| ?\((?:\.|dot)\) ?| dot /g, ".");
    if (HARMLESS.test(plain) || (WORD_LIKE.test(address) && !isLed)) return false;
    return mailbox === undefined || !ROLE_MAILBOX.test(mailbox) || OF_WORTH.test(sentence);
  });
}

const CALLED =
  /\b(?:(?:call|dial|ring|phone|telephone|text)(?! me\b)|sms|fax\w*|whats ?app|signal|hotline|(?<!(?:order|serial|ticket|customer|case|invoice|tracking|reference|part|member|account|version) )number|cancellations?)\b.{0,40}(?<![\w.-])(?:\+?\d[\d ()/.-]{5,18}\d)(?![\w-])|(?<![\w.-])(?:\+\d[\d ()/.-]{7,18}\d|0\d{2,4}[ /-]\d{2,4}[ /-]?\d{2,6}|\d{3}[ -]\d{4})(?![\w-]).{0,40}\b(?:call\w*|dial|ring|phone|text|fax|whats ?app|signal|to people|tell|give)\b/;
const NATIONAL_PHONE = /(?<![\w./-])0\d{2,4}[ /-]\d{3,4}[ -]\d{3,4}(?![\w-])/;
const OTHER_SCHEME = /\b(?:s3|gs|ftps?|sftp|smb|rsync):\/\/(?!localhost|127\.|example\b)\w/;
const HANDLE =
  /\b(?:telegram|instagram|twitter|facebook|discord|snapchat|wechat)\b.{0,60}\b[a-z0-9]+_\w{3,}|\b[a-z0-9]+_\w{3,}.{0,40}\b(?:telegram|instagram|twitter|facebook|discord|snapchat|wechat)\b|\b(?:telegram|whats ?app|discord|signal|wechat|instagram|twitter|facebook|venmo|pay ?pal|cash ?app|zelle|revolut|snapchat|line)\b.{0,60}(?:(?<![\w.])@[\w-]{3,}|\$[a-z][\w-]{2,})|(?:(?<![\w.])@[\w-]{3,}|\$[a-z][\w-]{2,}).{0,60}\b(?:telegram|whats ?app|discord|signal|wechat|instagram|twitter|facebook|venmo|pay ?pal|cash ?app|zelle|revolut|snapchat)\b/;
const ACCOUNT =
  /\b(?:accounts?|iban|sort code|routing number|payee|beneficiary|wallet|card(?: number)?(?: ending| that ends)?(?: in)?|cost cent(?:re|er))\b[^.!?]{0,25}?(?<!\d)(?:[a-z]{2})?\d(?:[ -]?\d){3,}/;
const IBAN_LIKE = /\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){3,7}(?: ?[a-z0-9]{1,4})?\b/;
const MOVES_MONEY =
  /\b(?:pay\w*|paid|send|sent|transfer\w*|wire\w*|refunds?|deposits?|goes|go|belongs?|credit\w*|raise|gets?|settle\w*|collect\w*|receives?|into|onto|use|enter|give|name|donat\w*|iban|invoices?|rent|bank|credit|surplus|book)\b/;
/** Known shapes, and any long run of letters and digits that is no hexadecimal hash. */
const WALLET =
  /\b(?:0x[0-9a-f]{16,}|[13][a-km-z1-9]{25,34}|(?=[a-z0-9]*[g-z])(?=[a-z0-9]*\d[a-z0-9]*\d)[a-z0-9]{26,90})\b/;
const POSTAL =
  /\b(?:return|send|ship|post|mail|deliver)\w*\b.{0,60}\b\d{1,4} (?:\w+ ){1,3}(?:street|st|road|rd|lane|avenue|drive|square|court|place|way|boulevard)\b/;

const SENTENCE_END = /(?<=[.!?])\s+|\n+/u;

const namesDestination = (sentence: string): boolean =>
  holdsAddress(sentence) ||
  (LEADS.test(sentence) && IP_ADDRESS.test(sentence)) ||
  CALLED.test(sentence) ||
  NATIONAL_PHONE.test(sentence) ||
  OTHER_SCHEME.test(sentence) ||
  HANDLE.test(sentence) ||
  WALLET.test(sentence) ||
  POSTAL.test(sentence) ||
  (MOVES_MONEY.test(sentence) && (ACCOUNT.test(sentence) || IBAN_LIKE.test(sentence)));

/** True where a sentence leads money, data or people to a destination that it names. */
export const redirects = (text: string): boolean =>
  [text, ...decoded(text.replace(INVISIBLE, ""))].some((reading) =>
    reading.split(SENTENCE_END).some((sentence) => namesDestination(undisguised(sentence))),
  );
