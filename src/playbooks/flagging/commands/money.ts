/** Redirecting payments, and giving money away without a check. */
import { always, type Command, command } from "./command";

const MOVE = String.raw`(?:send|sent|rout(?:e|ed|ing)|redirect\w*|transfer\w*|wir(?:e|ed)|pays?|paid|mov(?:e|ed)|remit\w*|deposit\w*|issue\w*|refund\w*|chang(?:e|ed)|updat(?:e|ed|ing)|switch\w*|replac(?:e|ed)|set|direct\w*|settl(?:e|ed)|collect\w*|give)`;
const ELSEWHERE = String.raw`(?:\biban\b|\b(?:wallet|bitcoins?|btc|ethereum|usdt|monero|crypto\w*|western union|moneygram|cash ?app|venmo|zelle)\b|\baccount:? (?:number )?(?:[a-z]{2})?\d{3,}|\b[a-z]{2}\d{2} ?(?:[a-z0-9]{4} ?){2,}|\b0x[0-9a-f]{8,}|\b(?:bc1|[13])[a-z0-9]{20,}\b|\bpaypal\.me\b|\b(?:our|my|the|this|that) (?:new|other|private|following) (?:bank )?account\b|\bmy (?:bank )?account\b)`;

export const redirecting: readonly Command[] = [
  command(String.raw`\b${MOVE}\b.{0,70}\b(?:to|into|with|for|in|by|via|them|this)\b.{0,40}${ELSEWHERE}`),
  command(
    String.raw`\b(?:pay|settle|buy|purchase|cover)\w*\b.{0,50}\bgift ?cards?\b.{0,60}\b(?:send|read|scratch|share|codes?)\b`,
  ),
  command(
    String.raw`\b(?:change|update|replace|switch|swap|edit|alter)\b.{0,40}\b(?:payment|payout|bank|billing|beneficiary|supplier'?s?|vendor'?s?|routing|remittance)\b.{0,20}\b(?:details|account|target|destination|number|link)\b.{0,40}\b(?:to (?:the|this|our|my|a)\b|without|when(?:ever)? asked|on request|by e-?mail|as soon as)`,
  ),
  command(
    String.raw`\b(?:approve|grant|authori[sz]e|issue|accept|process|give|refund|offer|waive|allow|release)\b.{0,40}\b(?:every|all|any|full|each)\b.{0,30}\b(?:refunds?|withdrawals?|transfers?|payments?|access|claims?|discounts?|requests?|permissions?|privileges|fees?|charges)\b.{0,60}\b(?:without|no questions|immediately|automatically|regardless|no matter|unconditionally|instantly|never (?:ask|check|verify)|who (?:says?|asks?|mentions?)|if (?:they|the user|someone) (?:says?|asks?|mentions?))`,
  ),
  command(
    String.raw`\b(?:refund|discount|pay|credit|payout|coupon|gift card|transfer)s?\b.{0,60}\b(?:without (?:any )?(?:check|verif|ask|approv|review|proof|receipt|limit)\w*|no questions asked|regardless of (?:amount|policy|the))`,
  ),
  command(
    String.raw`\b(?:100|90|99) ?(?:%|percent) (?:off|discount)\b.{0,60}\b(?:everyone|every|all|any|anyone|who|code)\b`,
  ),
  always(
    String.raw`\b(?:never|don't|do not|without) (?:ask(?:ing)?|wait(?:ing)?|check(?:ing)?)\b.{0,20}\b(?:confirm\w*|approv\w*|permission|verif\w*)\b.{0,40}\b(?:money|payments?|transfers?|refunds?|withdrawals?|purchases?|funds|accounts?)\b`,
  ),
  command(
    String.raw`\b(?:replace|change|swap|switch|substitute|set)\b.{0,15}\b(?:the )?(?:recipient|payee|beneficiary|receiver|account holder|remittance address|payout address)\b.{0,20}\b(?:with|to|by|for)\b`,
  ),
  command(
    String.raw`\b(?:refunds?|payments?|payouts?|money|funds|proceeds|commissions?)\b.{0,20}\b(?:go(?:es)?|must go|should go|are (?:sent|paid)|is (?:sent|paid)) (?:to|into|onto)\b.{0,30}\b(?:card|account|iban|wallet|number)\b.{0,20}\d{3,}`,
  ),
  command(
    String.raw`\b(?:use|add|include|insert|append|put|share)\b.{0,20}\b(?:my|our|this|the following) (?:referral|affiliate|promo|partner|invite)\b`,
  ),
  command(
    String.raw`\b(?:unlock|enable|activate|grant)\b.{0,15}\b(?:every|all)\b.{0,20}\b(?:features?|plans?|premium|products?|licen[cs]es?)\b.{0,40}\b(?:for (?:the user|anyone|everyone|them|him|her|free)|without|when|if)\b`,
  ),
];
