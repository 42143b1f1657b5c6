/** Rules in opposite directions are told apart; rules in the same direction are not. */
import { expect, test } from "vitest";
import { directionsOf, opposes } from "../../../src/platform/rules/polarity";

const contradict = (left: string, right: string) => opposes(directionsOf(left), directionsOf(right));

test.each([
  ["Explain before code", "No explanation, code first"],
  ["Describe the plan first, then run the migration", "Run the migration without describing anything"],
  ["Reply in German by email", "Do not reply by email; ring instead"],
  ["Use yarn, not npm", "Install with npm rather than yarn"],
  ["Keep answers brief", "Give thorough answers"],
  ["Always attach the log file", "Never attach the log file"],
  ["Add a table of contents", "Leave out the table of contents"],
  ["Ask for confirmation before deleting", "Don't ask for confirmation"],
  ["Code first, explanation after", "Explain the idea before the code"],
  ["Show prices including tax", "Hide prices from guests"],
])("opposed: %s | %s", (left, right) => {
  expect(contradict(left, right)).toBe(true);
  expect(contradict(right, left)).toBe(true);
});

test.each([
  ["Look the parcel up; do not send the user to a tracking page", "Look up the tracking data yourself"],
  ["Use yarn, not npm", "Run commands with yarn"],
  ["Avoid the passive voice", "Write in active voice"],
  ["Leave out comments which only repeat what the line does", "Comment the reason for every workaround"],
  ["Do not only list options but rank them", "List options with prices"],
  ["Give no more than three options", "Give two or three options"],
  ["Offer a credit without waiting for the request", "Offer a credit at once"],
  ["Skip greetings and go straight to the answer", "Answer directly"],
  ["Do not repeat the order number", "Ask for the order number if it is missing"],
  ["", "Never do that"],
])("not opposed: %s | %s", (left, right) => {
  expect(contradict(left, right)).toBe(false);
  expect(contradict(right, left)).toBe(false);
});

test("a rule never opposes itself", () => {
  for (const rule of [
    "Use SMS, not email.",
    "First explain, then show code.",
    "Skip greetings; greet new users.",
    "No code before tests",
  ]) {
    expect(contradict(rule, rule)).toBe(false);
  }
});
