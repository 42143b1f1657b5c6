/** Moving, giving up or redirecting money, and changing what something costs. */

/** Where a verb stands as what the clause does, not as a noun (`the charge`) or in a report. */
export const ACTING = String.raw`(?:^|\b(?:to|should|must|always|just|please|you|we|can|may|will|shall|then|and|or|not|never|don't|only|also|simply|immediately|automatically|at once|so|they|i|me|people|customers?|clients?|users?|guests?|members?|agents?)) ?(?:\w+ly )?`;

const VALUE = `(?:refunds?|reimbursements?|payments?|payouts?|deposits?|(?:late |reminder |service |monthly )?fees?|fines?|charges|discounts?|vouchers?|coupons?|credit|rebates?|bonus(?:es)?|commissions?|money|funds|surplus|prices?|fares?|rent|salar(?:y|ies)|donations?|tips?|bills?|invoices?|transfers?|direct debits?|standing orders?|balance|claims?|gift cards?|differences?|(?:payout|credit|spending|refund|daily|monthly) limits?|bank details|payees?|beneficiar(?:y|ies)|ibans?|wallets?|card (?:for|ending)|corporate card|subscriptions?|cost cent(?:re|er))`;
const AMOUNT = String.raw`(?:(?:half|double|twice)\b(?! an?\b)|an? (?:third|quarter|fifth|tenth)\b|\d{1,3} ?(?:%|percent)|[$€£] ?\d+|\d[\d.,]* ?(?:euros?|eur|dollars?|usd|pounds?|gbp|francs?|chf|€|\$|£))`;

const WHOLE_ACTS = `(?:pays?(?! (?:slips?|ranges?|bands?|grades?|rolls?|attention|heed))|repays?|refunds?|reimburses?|credits?|debits?|charges?|waives?|remits?|donates?|compensates?|undercharges?)`;
const PART_ACTS = `(?:bill|transfer|wire|settle|halve|raise|lower|increase|reduce|cap|cancel|drop|approve|grant|give|offer|issue|hand out|hand|process|release|accept|allow|authori[sz]e|return|take|knock|deduct|discount|set|change|update|switch|replace|book|enter|send|route|redirect|move|collect|suspend|stop|promise|add|quote|double|extend)s?`;
const DONE = `(?:paid(?: out| back)?|refunded|reimbursed|credited|charged|transferred|wired|waived|cancelled|dropped|approved|granted|issued|returned|given(?: back)?|released|settled|reversed|doubled|halved|raised|lowered|changed|updated|received|collected|suspended|deducted|redirected|sent|booked)`;

export const moneyActions: readonly RegExp[] = [
  new RegExp(`${ACTING}${WHOLE_ACTS}\\b`),
  new RegExp(`${ACTING}${PART_ACTS}\\b.{0,45}\\b(?:${VALUE}\\b|${AMOUNT})`),
  new RegExp(`\\b${VALUE}\\b.{0,40}\\b(?:is|are|be|being|been|gets?)\\b.{0,25}\\b${DONE}\\b`),
  /\b(?:is|are|be|get|gets) (?:\w+ ){0,2}(?:refunded|reimbursed|compensated|waived|paid (?:out|back))\b/,
  new RegExp(`\\b${VALUE}\\b.{0,40}\\b(?:go|goes|belong|belongs)\\b.{0,20}\\b(?:to|on|into|onto)\\b`),
  new RegExp(
    `\\b(?:gets?|receives?|deserves?|earns?|(?:is|are) owed|costs?)\\b.{0,35}(?:\\b${VALUE}\\b|${AMOUNT})`,
  ),
  new RegExp(`\\b(?:price|discount|fee|charge|cost)s?\\b.{0,25}\\b(?:is|are|by|at|to|of)\\b.{0,8}${AMOUNT}`),
  new RegExp(`${AMOUNT}.{0,20}\\b(?:off\\b|discount|of the price|the price|less\\b|cheaper)`),
  /\b(?:for free|free of charge|at no (?:cost|charge)|free (?:shipping|upgrades?|rebooking|months?|of cost)|without (?:charging|any (?:fee|cost|charge))|off the price|(?:money|cash) back)\b/,
  /\b(?:buy|purchase|order|subscribe|invest|bid|withdraw)s?\b.{0,30}\b(?:for|on behalf|in the name|with the (?:corporate|company)|shares?|stock|coins?|gift cards?)\b/,
];
/** Not charging is an action too, and a price that is named binds; these count wherever they stand. */
export const moneyAnyhow: readonly RegExp[] = [
  new RegExp(`${AMOUNT} (?:of )?(?:the |their |our )?(?:list )?price\\b`),
  /\b(?:never|don't|do not|does not|doesn't|no longer|not) (?:\w+ ){0,2}(?:charge|pay|bill|deduct|collect)s?\b/,
];
