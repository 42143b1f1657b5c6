/** Moving, giving up or redirecting money, and changing what something costs. */
import { anyOf } from "../any-of";

/** Where a verb stands as what the clause does, not as a noun (`the charge`) or in a report. */
export const ACTING = String.raw`(?:^|\b${anyOf(`to, should, must, always, just, please, you, we, can, may, will, shall, then, and, or,
  not, never, don't, only, also, simply, immediately, automatically, at once, so, they, i, me, people, customers?,
  clients?, users?, guests?, members?, agents?`)}) ?(?:\w+ly )?`;

const VALUE = anyOf(`refunds?, reimbursements?, payments?, payouts?, deposits?, fees?, fines?, charges,
  discounts?, vouchers?, coupons?, credit, rebates?, bonus(?:es)?, commissions?, money, funds, surplus, prices?, fares?,
  rent, salar(?:y|ies), donations?, tips?, bills?, invoices?, transfers?, direct debits?, standing orders?, balance,
  claims?, gift cards?, differences?, (?:payout|credit|spending|refund|daily|monthly) limits?, bank details, payees?,
  beneficiar(?:y|ies), ibans?, wallets?, card (?:for|ending), corporate card, subscriptions?, overdrafts?, loans?,
  debts?, arrears, instal?lments?, cost cent(?:re|er)`);
const AMOUNT = anyOf(String.raw`(?:half|double|twice)\b(?! an?\b), an? (?:third|quarter|fifth|tenth)\b,
  \d{1,3} ?(?:%|percent), [$€£] ?\d+,
  \d[\d.]* ?(?:euros?|eur|dollars?|usd|pounds?|gbp|francs?|chf|€|\$|£)`);

/** These need no object to move money. */
const WHOLE_ACTS =
  anyOf(`pays?(?! (?:slips?|ranges?|bands?|grades?|rolls?|attention|heed)), repays?, refunds?,
  reimburses?, credits?, debits?, charges?, waives?, remits?, donates?, compensates?, undercharges?`);
const PART_ACTS =
  anyOf(`bill, transfer, wire, settle, halve, raise, lower, increase, reduce, cap, cancel, drop, approve,
  grant, give, offer, issue, hand out, hand, process, release, accept, allow, authori[sz]e, return, take, knock, deduct,
  discount, set, change, update, switch, replace, book, enter, send, route, redirect, move, collect, suspend, stop,
  promise, add, quote, double, extend, forgive, match, undercut`);
const DONE =
  anyOf(`paid(?: out| back)?, refunded, reimbursed, credited, charged, transferred, wired, waived, cancelled,
  dropped, approved, granted, issued, returned, given(?: back)?, released, settled, reversed, doubled, halved, raised,
  lowered, changed, updated, received, collected, suspended, deducted, redirected, sent, booked, forgiven`);

export const moneyActions: readonly RegExp[] = [
  new RegExp(`${ACTING}${WHOLE_ACTS}\\b`),
  // Whoever pays: "schools pay …".
  /^(?:the )?(?:[\w-]+ ){1,4}pays?\b(?! (?:attention|heed))/,
  new RegExp(`${ACTING}${PART_ACTS}s?\\b.{0,45}\\b(?:${VALUE}\\b|${AMOUNT})`),
  new RegExp(`\\b${VALUE}\\b.{0,40}\\b(?:is|are|be|being|been|gets?)\\b.{0,25}\\b${DONE}\\b`),
  /\b(?:is|are|be|get|gets) (?:\w+ ){0,2}(?:refunded|reimbursed|compensated|waived|paid (?:out|back))\b/,
  new RegExp(`\\b${VALUE}\\b.{0,40}\\b(?:go|goes|belong|belongs)\\b.{0,20}\\b(?:to|on|into|onto)\\b`),
  new RegExp(
    `\\b(?:gets?|receives?|deserves?|earns?|(?:is|are) owed|costs?)\\b.{0,35}(?:\\b${VALUE}\\b|${AMOUNT})`,
  ),
  new RegExp(`\\b(?:price|discount|fee|charge|cost)s?\\b.{0,25}\\b(?:is|are|by|at|to|of)\\b.{0,8}${AMOUNT}`),
  new RegExp(`${AMOUNT}.{0,20}\\b(?:off|discount|of the price|the price|less|cheaper)\\b`),
  /\b(?:for free|free of charge|at no (?:cost|charge)|without (?:charging|any (?:fee|cost|charge))|off the price)\b/,
  /\bfree (?:shipping|upgrades?|rebooking|of cost|(?:\w+ )?(?:days|weeks|months|years))|\b(?:days|weeks|months|years) free\b/,
  /\b(?:money|cash) back\b|\bforgiv(?:e|es|en)\b|\bkeeps? the (?:\w+ )?(?:deposit|money|change)\b/,
  /\b(?:pays?|takes?|deducts?|knocks?) \d+(?:[.,]\d+)? (?:less|off|from)\b/,
  /\bin cash\b/,
  /\b(?:buy|purchase|order|subscribe|invest|bid|withdraw)s?\b.{0,30}\b(?:for|on behalf|in the name|shares?|stock|coins?|gift cards?)\b/,
];
/** Not charging is an action too, and a price that is named binds; these count wherever they stand. */
export const moneyAnyhow: readonly RegExp[] = [
  /\bwrit(?:e|ten)s? off\b/,
  new RegExp(`${AMOUNT} (?:of )?(?:the |their |our )?(?:list )?price\\b`),
  /\b(?:never|don't|do not|does not|doesn't|no longer|not) (?:\w+ ){0,2}(?:charge|pay|bill|deduct|collect)s?\b/,
];
