/** The playbooks that are known to listen, and what publishing a version changes. */
import type { PlaybookDocument, Trigger } from "../model";
import { RUNNABLE_STATUSES } from "../spec";
import type { TriggerState } from "./model";
import { contentHashOf } from "./starting";

export interface KnownPlaybook {
  document: PlaybookDocument;
  contentHash: string;
}

/** The newest version of each playbook, in order of first publication. */
export function* newestPlaybooks(state: TriggerState): Generator<KnownPlaybook> {
  for (const { contentHash } of state.newest) {
    const document = state.documents[contentHash];
    if (document) yield { document, contentHash };
  }
}

/** By `plb_` id or by slug. */
export function findPlaybook(state: TriggerState, name: string): KnownPlaybook | null {
  for (const known of newestPlaybooks(state)) if (isCalled(known.document, name)) return known;
  return null;
}

export const isCalled = ({ playbook }: PlaybookDocument, name: string): boolean =>
  playbook.playbookId === name || playbook.manifest.slug === name;

/** Whether triggers may start it; a draft or an archived one only runs as an operator's test. */
export const isRunnable = ({ playbook }: PlaybookDocument): boolean =>
  RUNNABLE_STATUSES.some((status) => status === playbook.status);

/** The document's triggers of one kind, the enabled ones first asked for by `isEnabled`. */
export const triggersOf = <Kind extends Trigger["kind"]>(
  document: PlaybookDocument,
  kind: Kind,
): Extract<Trigger, { kind: Kind }>[] =>
  document.playbook.triggers.filter(
    (trigger): trigger is Extract<Trigger, { kind: Kind }> => trigger.kind === kind,
  );

export const isEnabled = (trigger: Trigger): boolean => trigger.enabled !== false;

/** A new version takes the place of the one before; runs stay with the version that they began with. */
export function publish(state: TriggerState, document: PlaybookDocument): TriggerState {
  const { playbookId } = document.playbook;
  const contentHash = contentHashOf(document);
  const isKnown = state.newest.some((known) => known.playbookId === playbookId);
  const newest = isKnown
    ? state.newest.map((known) => (known.playbookId === playbookId ? { playbookId, contentHash } : known))
    : [...state.newest, { playbookId, contentHash }];
  return { ...state, newest, documents: { ...state.documents, [contentHash]: document } };
}
