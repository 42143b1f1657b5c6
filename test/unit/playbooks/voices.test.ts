import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { distinctPeople, independentPeople, personOf, type Voice } from "../../../src/playbooks/voices";

let at = 0;
const voice = (userId: string | null, wording: string, more: Partial<Voice> = {}): Voice => {
  at += 1;
  return { userId, wording, saidAtSec: at * 100_000, sessions: [], ...more };
};
const OWN = [
  "Look the parcel up and tell me where it is right now.",
  "I never want to be sent to the carrier's page again.",
  "Say the depot and the arrival day of what I ordered.",
  "Tracking links are useless, check it yourself and answer.",
] as const;

describe("people behind a rule", () => {
  it("are counted once under several spellings of their id, and not at all without one", () => {
    expect(personOf(" Ana@Example.com ")).toBe(personOf("ana+shop@example.com"));
    expect(personOf("аna")).toBe(personOf("ana"));
    expect(personOf("an\u200ba")).toBe(personOf("ana"));
    expect(personOf("ana+1")).not.toBe(personOf("ana+2"));
    expect(distinctPeople([voice("ana", "x"), voice("ANA", "y"), voice(null, "z"), voice("ben", "z")])).toBe(
      2,
    );
  });

  it("are independent with words of their own", () => {
    expect(independentPeople([voice("ana", OWN[0]), voice("ben", OWN[1])], 2)).toBe(2);
  });

  it.each([
    ["word for word", OWN[0]],
    ["in another case, with other signs", "LOOK the parcel up — and tell me, where it is right now!!"],
    ["with look-alike letters", "Lооk thе pаrсеl up and tеll mе whеrе it is right now."],
    ["with hidden characters", "Look the par\u200bcel up and tell me wh\u00adere it is right now."],
    ["with one word changed", "Look the package up and tell me where it is right now."],
    ["inflected", "Looking the parcels up and telling me where it is right now."],
  ])("are one where the text is the same %s", (_, text) => {
    const voices = [
      voice("ana", "Look the parcel up and tell me where it is right now, depot and shelf included.", {}),
      voice("ben", `${text} depot and shelf included`),
    ];
    expect(independentPeople(voices, 2)).toBe(1);
  });

  it("are not one because the same words come in another order", () => {
    const voices = [
      voice("ana", "Disputed debits younger than eight weeks are returned."),
      voice("ben", "Return my disputed debit, the eight weeks aren't over."),
    ];
    expect(independentPeople(voices, 2)).toBe(2);
  });

  it("may say the same in few words, unless they do so within minutes; the shortest never count as copies", () => {
    const short = (saidAtSec: number) => [
      voice("ana", "Use British spelling.", { saidAtSec: 0 }),
      voice("ben", "Use British spelling.", { saidAtSec }),
    ];
    expect(independentPeople(short(86_400), 2)).toBe(2);
    expect(independentPeople(short(300), 2)).toBe(1);
    const shortest = ["ana", "ben"].map((user) => voice(user, "Be brief.", { saidAtSec: 0 }));
    expect(independentPeople(shortest, 2)).toBe(2);
  });

  it("are one where they speak in one session; a session that is not known is not held against them", () => {
    const shared = { sessions: ["chat"] };
    expect(independentPeople([voice("ana", OWN[0], shared), voice("ben", OWN[1], shared)], 2)).toBe(1);
    expect(independentPeople([voice("ana", OWN[0], shared), voice("ben", OWN[1])], 2)).toBe(2);
  });

  it("count again once somebody has a text that is nobody else's", () => {
    const voices = [voice("ana", OWN[0]), voice("ben", OWN[0]), voice("ben", OWN[1]), voice("cleo", OWN[0])];
    expect(independentPeople(voices, 3)).toBe(2);
    expect(independentPeople([...voices, voice("ana", OWN[2])], 3)).toBe(3);
  });

  it("are matched with their texts as well as it can be done, in whatever order they come", () => {
    // Whoever is asked first must not take the only text that the next one has.
    const voices = [
      voice("ana", OWN[0]),
      voice("ana", OWN[1]),
      voice("ben", OWN[0]),
      voice("cleo", OWN[1]),
      voice("cleo", OWN[2]),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(voices, { minLength: voices.length }), (shuffled) => {
        expect(independentPeople(shuffled, 3)).toBe(3);
      }),
    );
  });

  it("are never more than there are, nor more than is asked for, and copies add none", () => {
    const some = fc.array(
      fc.record({
        userId: fc.option(fc.constantFrom("ana", "ben", "cleo", "dan")),
        wording: fc.constantFrom(...OWN),
        saidAtSec: fc.nat(1_000),
        sessions: fc.array(fc.constantFrom("s1", "s2", "s3"), { maxLength: 2 }),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(some, fc.integer({ min: 0, max: 5 }), (voices, enough) => {
        const count = independentPeople(voices, enough);
        expect(count).toBeLessThanOrEqual(Math.min(distinctPeople(voices), enough));
        const first = voices.find(({ userId }) => userId !== null);
        if (first === undefined) {
          expect(count).toBe(0);
          return;
        }
        const copies = ["x1", "x2", "x3"].map((userId) => ({ ...first, userId }));
        const texts = new Set(voices.filter(({ userId }) => userId !== null).map(({ wording }) => wording));
        expect(independentPeople([...voices, ...copies], 9)).toBeLessThanOrEqual(texts.size);
      }),
    );
  });
});
