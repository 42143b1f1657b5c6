/** The address of a session's page. */
import { hrefOf } from "../parts";

export const PATH = "/desk/sessions";

/** A browser would read a path of dots as a step up, so such names go into the query. */
export const sessionHref = (
  sessionId: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): string =>
  /^\.\.?$/.test(sessionId)
    ? hrefOf(PATH, { session: sessionId, ...query })
    : hrefOf(`${PATH}/${encodeURIComponent(sessionId)}`, query);

/** A turn on its session's page. */
export const turnHref = (sessionId: string, interactionId: number): string =>
  `${sessionHref(sessionId, { turn: interactionId })}#turn-${interactionId}`;
