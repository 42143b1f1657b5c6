/** What stands around a sentence of the user and decides how far to trust it. */

export interface Surroundings {
  /** The agent said something before this turn in the window. */
  readonly followsAgent: boolean;
  /** The agent's last words offered to do something. */
  readonly answersOffer: boolean;
  /** The turn or its preceding sentence refuses, stops or criticises. */
  readonly pushesBack: boolean;
  /** The turn is this sentence and nothing else. */
  readonly isWholeTurn: boolean;
  /** This sentence or one of the two before it stops the agent: "hold on". */
  readonly wasInterrupted: boolean;
  /** A heading made rules of what follows. */
  readonly underHeading: boolean;
  /** The next sentence says what good it does. */
  readonly benefitFollows: boolean;
  /** The next sentence, or this one, says what to do instead. */
  readonly alternativeFollows: boolean;
  /** The next sentence, or this one, names the bare thing wanted: "straight to the answer", "just the steps". */
  readonly goesStraight: boolean;
  /** The sentence before says what the agent keeps doing: "you keep sending Word files". */
  readonly followsBlame: boolean;
  /** The text of the agent's preceding turn, lower case. */
  readonly agentText: string;
  /** The turn says so far how much the user knows: "I'm not technical". */
  readonly statesLevel: boolean;
  /** The agent sent the user elsewhere, and the turn objects: "I already checked the website". */
  readonly objectsToDeflection: boolean;
  /** The sentence before says that the user does not use what the agent just named: "I don't take taxis". */
  readonly declinesOffered: boolean;
  /** The agent's turn answered an earlier turn of this user. */
  readonly inDialogue: boolean;
  /** The next sentence gives a lasting fact about the user as the reason. */
  readonly reasonFollows: boolean;
  /** A sentence of the turn, up to the next one, finds fault with that answer. */
  readonly findsFault: boolean;
}
