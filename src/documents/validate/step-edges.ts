/** The edges that a step writes, by its kind: which members lead to another step, and which are missing or unreadable. */
import type { Json } from "../model";
import { childPointer } from "../text/pointer";
import { isObject, type StepView } from "./view";

export type EdgeMember = "next" | "branch" | "default" | "onReject";

/** An edge as it stands in the document. */
export interface WrittenEdge {
  member: EdgeMember;
  /** The id it names. */
  name: string;
  /** Of the member that holds it. */
  pointer: string;
  /** Of a branch: its place. */
  branch?: number;
}

export interface WrittenEdges {
  edges: WrittenEdge[];
  /** Edges that must be there and cannot be read: each may lead anywhere. `Infinity`: nobody knows how many. */
  missing: number;
}

/**
 * Members that the kind does not have (S404) are no edges. Of an unknown kind every member counts that leads somewhere
 * in one of the seven.
 */
export function edgesOf(view: StepView): WrittenEdges {
  switch (view.kind) {
    case "agent":
    case "tool":
    case "wait":
    case "map":
      return joined(single(view, "next", true));
    case "approval":
      return joined(single(view, "next", true), single(view, "onReject", false));
    case "decision":
      return joined(branches(view), single(view, "default", true));
    case "terminator":
      return { edges: [], missing: 0 };
    case null: {
      const any = joined(
        ...(["next", "onReject", "default"] as const).map((member) => single(view, member, false)),
        view.step.branches === undefined ? { edges: [], missing: 0 } : branches(view),
      );
      return any.edges.length > 0 ? any : { edges: [], missing: Number.POSITIVE_INFINITY };
    }
  }
}

function single(view: StepView, member: Exclude<EdgeMember, "branch">, isRequired: boolean): WrittenEdges {
  const name = view.step[member];
  if (name === undefined && !isRequired) return { edges: [], missing: 0 };
  return read(name, { member, pointer: childPointer(view.pointer, member) });
}

function branches(view: StepView): WrittenEdges {
  const list = view.step.branches;
  if (!Array.isArray(list) || list.length === 0) return { edges: [], missing: Number.POSITIVE_INFINITY };
  return joined(
    ...list.map((branch, index) =>
      read(isObject(branch) ? branch.next : undefined, {
        member: "branch",
        pointer: `${view.pointer}/branches/${index}/next`,
        branch: index,
      }),
    ),
  );
}

const read = (name: Json | undefined, place: Omit<WrittenEdge, "name">): WrittenEdges =>
  typeof name === "string" ? { edges: [{ ...place, name }], missing: 0 } : { edges: [], missing: 1 };

const joined = (...parts: WrittenEdges[]): WrittenEdges => ({
  edges: parts.flatMap(({ edges }) => edges),
  missing: parts.reduce((sum, { missing }) => sum + missing, 0),
});
