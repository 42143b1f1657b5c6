/** One route of the documentation. */
import { Copyable } from "../copy";
import { Badge } from "../parts";
import type { DocRoute, Need } from "./reference";
import type { FieldRow } from "./schema";

/** `code` between back quotes, as descriptions write it. */
const Prose = ({ text }: { text: string }) => (
  <>{text.split("`").map((part, position) => (position % 2 === 1 ? <code>{part}</code> : part))}</>
);

const Fields = ({
  caption,
  of,
  rows,
}: {
  caption: string;
  /** The route, so that no two tables have the same name. */
  of: string;
  rows: readonly (FieldRow & { place?: string })[];
}) =>
  rows.length === 0 ? null : (
    <section class="scroll" aria-label={`${caption} of ${of}`} tabindex={0}>
      <table class="fields">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Meaning</th>
            <th scope="col">Limits</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, type, isRequired, limits, meaning, place }) => (
            <tr>
              <td>
                <code>{name}</code>
                {isRequired ? <em> required</em> : null}
                {place === undefined ? null : <em> {place}</em>}
              </td>
              <td>{type}</td>
              <td>
                <Prose text={meaning} />
              </td>
              <td>{limits}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );

const Needs = ({ needs }: { needs: readonly Need[] }) =>
  needs.length === 0 ? null : (
    <p class="soft">
      {needs.map(({ variable, from }) => (
        <>
          <code>${variable}</code> is in the answer of{" "}
          {from === undefined ? "an earlier call" : <a href={`#${from.anchor}`}>{from.title}</a>}.{" "}
        </>
      ))}
    </p>
  );

const SCOPE_TEXT: Readonly<Record<string, string>> = {
  public: "no key",
  "admin-secret": "admin secret",
};

export const RouteCard = ({ route }: { route: DocRoute }) => {
  const { anchor, method, path, summary, description, scope, example, answer, others } = route;
  return (
    <article
      class="card route"
      id={anchor}
      data-find={`${method} ${path} ${summary}`.toLowerCase()}
      data-method={method}
      data-path={path}
      data-example={example === undefined ? undefined : JSON.stringify(example.call)}
    >
      <h3>
        <a href={`#${anchor}`}>
          <span class={`verb ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
        </a>
        <Badge>{SCOPE_TEXT[scope] ?? `scope ${scope}`}</Badge>
      </h3>
      <p>
        <strong>{summary}.</strong> <Prose text={description} />
      </p>
      <Fields caption="Parameters" of={`${method} ${path}`} rows={route.parameters} />
      <Fields caption="Body" of={`${method} ${path}`} rows={route.body} />
      {example === undefined ? null : (
        <>
          <Copyable id={`${anchor}-curl`} label="Copy" text={example.curl} />
          <Needs needs={example.needs} />
        </>
      )}
      <details>
        <summary>Answers</summary>
        <pre>{answer}</pre>
        {others.length === 0 ? null : (
          <dl>
            {others.map((other) => (
              <>
                <dt>{other.status}</dt>
                <dd>{other.description}</dd>
              </>
            ))}
          </dl>
        )}
      </details>
      <div data-tries />
    </article>
  );
};
