/**
 * The two ways of reading a window (specification 6.1–6.5): as a conversation, or, where it holds experts'
 * answers, as pairs of an agent's and an expert's answer under the span contract.
 */
import { loadPrompt } from "../platform/prompts";
import type { ExpertPair, Guidance, Reasoner, TaskAnswer } from "../platform/reasoner/port";
import { askWithRepair, type Judgement } from "./ask";
import type { Chronology } from "./chronology";
import { expertPairsOf, turnsOfPairs } from "./expert-pairs";
import { echoDetector } from "./leaks";
import type { Candidate } from "./model";
import { type DropReason, type RawCandidate, type Validated, validateCandidates } from "./validate";

export interface Extracted {
  candidates: Candidate[];
  /** Why rules of the answers were dropped, those of a refused first answer included. */
  dropped: DropReason[];
  model: string;
  provider: string;
}

export interface Reading {
  /** Whether a reviewer judges the candidates; experts are not second-guessed (specification 6.7). */
  isReviewed: boolean;
  /** The cheap gate. @throws ReasonerError */
  shouldExtract(reasoner: Reasoner): Promise<boolean>;
  /** @throws ReasonerError; `unusable` with `candidates_invalid` when the second answer holds no valid rule either */
  extract(reasoner: Reasoner): Promise<Extracted>;
}

/** One bad rule is dropped alone; only an answer with nothing else is sent back (trap 17). */
function judgedBy(
  validate: (rules: readonly RawCandidate[]) => Validated,
  dropped: DropReason[],
): (rules: readonly RawCandidate[]) => Judgement<Candidate[]> {
  return (rules) => {
    const validated = validate(rules);
    dropped.push(...validated.dropped.map(({ reason }) => reason));
    return rules.length > 0 && validated.candidates.length === 0
      ? { problems: validated.dropped.map(({ position, reason }) => `rule ${position + 1}: ${reason}`) }
      : { value: validated.candidates };
  };
}

const extracted = (
  candidates: Candidate[],
  dropped: DropReason[],
  { model, provider }: Pick<TaskAnswer<"extract">, "model" | "provider">,
): Extracted => ({ candidates, dropped, model, provider });

const echoOf = (promptId: string, guidance: Guidance) =>
  echoDetector([loadPrompt(promptId).systemTemplate, guidance.extractionDefinition]);

function conversation(chronology: Chronology, guidance: Guidance): Reading {
  const input = { turns: chronology.turns, guidance };
  return {
    isReviewed: true,
    async shouldExtract(reasoner) {
      return (await reasoner.run("shouldExtract", input)).output.shouldExtract;
    },
    async extract(reasoner) {
      const echoesPrompt = echoOf("extract", guidance);
      const dropped: DropReason[] = [];
      const judge = judgedBy((rules) => validateCandidates(rules, chronology, echoesPrompt), dropped);
      const { value, answer } = await askWithRepair(
        reasoner,
        "extract",
        input,
        ({ playbooks }) => judge(playbooks),
        "candidates_invalid",
      );
      return extracted(value, dropped, answer);
    },
  };
}

function expertsAnswers(chronology: Chronology, pairs: ExpertPair[], guidance: Guidance): Reading {
  const input = { pairs, guidance };
  const shown: Chronology = { ...chronology, turns: turnsOfPairs(pairs) };
  const expertLabels = new Set(pairs.map(({ expert }) => expert.label));
  return {
    isReviewed: false,
    async shouldExtract(reasoner) {
      return (await reasoner.run("shouldExtractExpert", input)).output.shouldExtract;
    },
    async extract(reasoner) {
      const echoesPrompt = echoOf("extract-expert", guidance);
      const dropped: DropReason[] = [];
      const judge = judgedBy(
        (rules) =>
          validateCandidates(rules, shown, echoesPrompt, ({ evidenceKind, evidence }) => {
            if (evidenceKind !== "expert-gap") return "not_expert_gap";
            return evidence.some(({ turn }) => expertLabels.has(turn)) ? undefined : "expert_not_cited";
          }),
        dropped,
      );
      const { value, answer } = await askWithRepair(
        reasoner,
        "extractExpert",
        input,
        ({ playbooks }) =>
          judge(
            playbooks.map(({ evidence, ...rule }) => ({
              ...rule,
              evidence_refs: evidence.map(({ turn_ref }) => turn_ref),
              evidence_spans: evidence.map(({ source_span }) => source_span),
            })),
          ),
        "candidates_invalid",
      );
      return extracted(value, dropped, answer);
    },
  };
}

/** A window that holds an expert's answer is read for what the experts teach. */
export function readingOf(chronology: Chronology, guidance: Guidance): Reading {
  const pairs = expertPairsOf(chronology);
  return pairs.length === 0
    ? conversation(chronology, guidance)
    : expertsAnswers(chronology, pairs, guidance);
}
