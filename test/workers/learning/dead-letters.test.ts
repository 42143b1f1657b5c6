import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { learningStatusOf } from "../../../src/interactions/status";
import { replayDeadLetter } from "../../../src/learning/dead-letters";
import { listDeadLetters } from "../../../src/learning/dead-letter-store";
import { sql } from "../../../src/db/sql";
import { ReasonerError } from "../../../src/platform/reasoner/port";
import {
  chatter,
  consumeAll,
  consumeOnce,
  countOf,
  currentOf,
  cursorOf,
  db,
  freshOrg,
  learningServices,
  say,
  scriptedReasoner,
  windowsOf,
} from "./support";

const RULE = "RULE tuning the old piano | tune the piano from the middle outwards";
const CONTENT = "tune the piano from the middle outwards";
const BY = { principal: { orgId: "", id: "olga" }, requestId: "test" };
const failing = (...error: ConstructorParameters<typeof ReasonerError>) => ({
  extract: () => {
    throw new ReasonerError(...error);
  },
});
const lettersOf = (org: string) => listDeadLetters(db, org, { state: "all", limit: 10 });
