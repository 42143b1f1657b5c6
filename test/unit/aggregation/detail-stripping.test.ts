/** Personal details stay out of prompts and out of rules. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { DetailStripper, neutralisePlaceholders } from "../../../src/aggregation/detail-stripping";

test.each([
  ["Mail it to dora.fox+x@mail.example.org today", "Mail it to [EMAIL_1] today"],
  ["Ring +49 (30) 901 820 first", "Ring [PHONE_1] first"],
  ["Call 020 7946 0958", "Call [PHONE_1]"],
  ["Refund order ORD-20931 now", "Refund order [REFERENCE_1] now"],
  ["See ticket #A-4471", "See ticket [REFERENCE_1]"],
  ["Charge 4000 1234 5678 9010", "Charge [CARD_1]"],
  ["Open https://shop.example/users/dora?session=9", "Open [LINK_1]"],
  ["Use password: Tulip!77", "Use password: [SECRET_1]"],
  ["Send header sk-proj_0a1b2c3d4e5f", "Send header [SECRET_1]"],
  ["Ask Dr. Ida Moor's team", "Ask Dr. [PERSON_1]'s team"],
  ["Her name is Ida Moor.", "Her name is [PERSON_1]."],
])("%s", (text, expected) => {
  expect(new DetailStripper([]).strip(text)).toBe(expected);
});

test.each([
  "Answer within 7-10 days, by the 15th of May 2026",
  "Link https://docs.example.com/guide for set-up",
  "Use version 2.4.1 of TypeScript's compiler",
  "Keep it under three sentences",
  "Order the steps by date and ticket age",
])("leaves alone: %s", (text) => {
  expect(new DetailStripper([]).strip(text)).toBe(text);
});

test("the same person, address or number is the same placeholder throughout a cluster, in any writing", () => {
  const stripper = new DetailStripper(["dora_fox"]);
  expect(stripper.strip("Dora wants mail at Dora@Example.org, phone +44 20 7946 0958.")).toBe(
    "[PERSON_1] wants mail at [EMAIL_1], phone [PHONE_1].",
  );
  expect(stripper.strip("Write to dora@example.org; Dora answers on +442079460958; dora_fox knows.")).toBe(
    "Write to [EMAIL_1]; [PERSON_1] answers on [PHONE_1]; [PERSON_2] knows.",
  );
  expect(stripper.size).toBe(4);
});

test("parts of user ids that are ordinary words stay, names among them go", () => {
  const stripper = new DetailStripper(["support-user-1", "ecommerce_refund-marcus", "test"]);
  expect(stripper.strip("Refund first. Support and Test teams ask; Marcus's order")).toBe(
    "Refund first. Support and Test teams ask; [PERSON_1]'s order",
  );
  expect(stripper.strip("ecommerce_refund-marcus")).toBe("[PERSON_2]");
});

test("words an org lists are always hidden, in any case, whole words only", () => {
  const stripper = new DetailStripper([], ["Project Falcon", " "]);
  expect(stripper.strip("Mention project falcon, not falconry")).toBe("Mention [DETAIL_1], not falconry");
});

test("placeholders that leak into an answer become plain words and are counted", () => {
  expect(neutralisePlaceholders("[PERSON_1] asks. Send it to [EMAIL_2] of the [person_1].")).toEqual({
    text: "The user asks. Send it to an e-mail address of the user.",
    leaked: 3,
  });
  expect(neutralisePlaceholders("- (PHONE_1) comes first\n- <SECRET_9> never").text).toBe(
    "- A phone number comes first\n- A secret never",
  );
  expect(neutralisePlaceholders("Keep [x] as it is")).toEqual({ text: "Keep [x] as it is", leaked: 0 });
});

test("whatever stands around it, a planted address never gets through, and no text takes long", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 400 }), fc.string({ maxLength: 400 }), (before, after) => {
      const clean = new DetailStripper(["u-1"]).strip(`${before} zoe.q@example.org ${after}`);
      expect(clean).not.toContain("zoe.q@example.org");
    }),
  );
  for (const unit of ["1", "1 ", "A-", "+1", "https://", "a.", "Mr A", "sk-", "@", "password:"]) {
    expect(new DetailStripper(["u-1"]).strip(unit.repeat(20_000)).length).toBeGreaterThan(0);
  }
});
