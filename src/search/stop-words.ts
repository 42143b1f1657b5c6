/** English words too common to search by. Queries drop them unless nothing else remains. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    "a an the and or not but if then else so as at by for from in into of off on onto out over per than to up via with " +
    "about after before between during through under without within while until because " +
    "i me my we us our you your he him his she her it its they them their this that these those there here " +
    "am is are was were be been being do does did done doing have has had having can could may might must shall should " +
    "will would what when where which who whom whose why how all any both each few more most other some such no nor only " +
    "own same too very just also again once ever please " +
    "dont doesnt didnt isnt arent wasnt werent cant cannot couldnt shouldnt wont wouldnt havent hasnt hadnt"
  ).split(" "),
);
