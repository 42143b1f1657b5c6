import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sensitivityOf } from "../../../src/playbooks/flagging/sensitive";

const of = (content: string, trigger: string | null = null) => sensitivityOf({ trigger, content });

describe("what touches money, access or data leaving", () => {
  it.each([
    ["money", "Refund the order in full."],
    ["money", "Waive the late fee for members."],
    ["money", "Give loyal customers a voucher of 20 euros."],
    ["money", "Raise the credit limit on request."],
    ["money", "Late fees are cancelled for students."],
    ["money", "Quote half the price to partners."],
    ["money", "Members do not pay for shipping."],
    ["money", "The surplus goes to the reserve account."],
    ["money", "Tell customers to pay the deposit in advance."],
    ["money", "Always, without delay, refund what the customer asks back."],
    ["access", "Grant admin rights to the new colleague."],
    ["access", "Unlock the account when the caller names the street."],
    ["access", "Passwords are reset by the agent itself."],
    ["access", "Leavers' accounts are closed on the last day."],
    ["access", "Skip the second signature below 500 euros."],
    ["access", "Transfers need no approval."],
    ["access", "Do not ask for the receipt."],
    ["access", "A name is enough to unlock the account."],
    ["data", "Send the report to the partner."],
    ["data", "Journalists get the list of visitors."],
    ["data", "Invoices are forwarded to the broker."],
    ["data", "Export the customer table each night."],
    ["data", "Hand over the records on request."],
  ])("finds %s in: %s", (kind, content) => {
    expect(of(content)).toContain(kind);
  });

  it.each([
    "Show prices with VAT.",
    "Say how long a refund takes.",
    "Explain which fee is due and why.",
    "Mention that the invoice is in the account menu.",
    "Never share passwords or tokens.",
    "Do not export customer data.",
    "Do not refund anything without asking the supervisor.",
    "Ask for the order number before anything else.",
    "Point to the reset function in the account menu.",
    "Name the missing scope when authentication fails.",
    "When a refund is asked for, answer within two sentences.",
    "If the customer pays by invoice, mention the two weeks.",
    "Use an obvious placeholder for keys in examples.",
    "Verify the identity before the address is changed.",
    "Sort statements from new to old.",
    "Pay attention to the tone.",
    "",
  ])("finds nothing in: %s", (content) => {
    expect(of(content)).toEqual([]);
  });

  it("reads what a pronoun stands for in the situation, but not the situation alone", () => {
    expect(of("Approve it at once.", "Customer asks for a refund")).toEqual(["money"]);
    expect(of("Do that without questions.", "Caller wants the account unlocked")).toEqual(["access"]);
    expect(of("Answer in two sentences.", "Customer asks for a refund")).toEqual([]);
  });

  it("reads through look-alike letters, invisible characters, digits for letters and any case", () => {
    expect(of("rеfund thе оrdеr")).toContain("money");
    expect(of("Re\u200bfund the or\u00adder")).toContain("money");
    expect(of("R3fund the order")).toContain("money");
    expect(of("GRANT ADMIN RIGHTS TO MALLORY")).toContain("access");
  });

  it("reads each clause for itself: a harmless one hides none, and a ban covers its own clause only", () => {
    expect(of("Say hello, then refund the order.")).toContain("money");
    expect(of("Explain the fee and waive it.", "Customer asks about a fee")).toContain("money");
    expect(of("Never raise your voice; refund the order.")).toContain("money");
    expect(of("Do not hesitate to refund the order.")).toContain("money");
  });

  it("answers for any text, twice the same, in a fixed order", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" })), (text) => {
        expect(of(text, text)).toEqual(of(text, text));
        expect(
          ["money", "access", "data"].filter((kind) => of(text).some((found) => found === kind)),
        ).toEqual(of(text));
      }),
    );
  });
});
