/** The page of search. */
import type { Reply, RequestScope } from "../../http/route";
import type { Explanation } from "../../search/explain";
import { page } from "../frame";
import { Empty, Refused } from "../parts";
import { type Asked, PATH } from "./asked";
import { SearchForm } from "./form";
import { Results } from "./results";

export interface SearchPageProps {
  asked: Asked;
  versions: readonly string[];
  mayNameUsers: boolean;
  fault?: string | undefined;
  /** Null where nothing was asked yet. */
  result: { query: string; found: Explanation } | null;
}

const Beginning = ({ hasRules }: { hasRules: boolean }) => (
  <Empty title={hasRules ? "Nothing is asked yet" : "There is no rule to find yet"}>
    {hasRules ? (
      <p>
        Type what a user would say to the agent, such as “Can you get this change into main for me?” You see
        which rules a search returns, by which words or meaning, why the others are left out, and the block
        that would go into the agent's prompt. Nothing counts as served; name a session, and what it was
        served in the last day is left out.
      </p>
    ) : (
      <p>
        Publish conversations with <code>POST /api/publish_interaction</code>;{" "}
        <a href="/desk/learning">Learning</a> says how far it has come. What is learned can be searched at
        once.
      </p>
    )}
  </Empty>
);

export const searchPage = (scope: RequestScope, props: SearchPageProps): Reply => {
  const { asked, versions, mayNameUsers, fault, result } = props;
  return page(scope, {
    title: "Search",
    current: PATH,
    isWide: true,
    intro: "Which rules an agent would be given for a query, and why those and no others.",
    status: fault === undefined ? 200 : 422,
    children: (
      <>
        {fault === undefined ? null : <Refused message="The search was not made." />}
        <SearchForm asked={asked} versions={versions} mayNameUsers={mayNameUsers} fault={fault} />
        {result !== null ? (
          <Results {...result} asked={asked} mayNameUsers={mayNameUsers} />
        ) : fault === undefined ? (
          <Beginning hasRules={versions.length > 0} />
        ) : null}
      </>
    ),
  });
};
