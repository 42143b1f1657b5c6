/** The documentation of the API as one page: every route by job, with its fields, its answer and a call that runs. */
import type { Child } from "hono/jsx";
import { Copyable } from "../copy";
import { openPage } from "../frame";
import { SETUP } from "./examples";
import type { DocJob, DocRoute } from "./reference";
import { RouteCard } from "./route-card";

/** A path that a narrow column may break after a word. */
const Breakable = ({ path }: { path: string }) => (
  <>
    {path.split(/(?<=[_/])/).map((word) => (
      <>
        {word}
        <wbr />
      </>
    ))}
  </>
);

const Navigation = ({ jobs }: { jobs: readonly DocJob[] }) => (
  <>
    <ul>
      <li>
        <a href="/">Review desk</a>
      </li>
      <li>
        <a href="/openapi.json">OpenAPI document</a>
      </li>
      <li>
        <a href="/llms.txt">For language models</a>
      </li>
    </ul>
    {jobs.map(({ id, title, routes }) => (
      <section data-group>
        <h2>
          <a href={`#${id}`}>{title}</a>
        </h2>
        <ul>
          {routes.map(({ anchor, method, path, summary }) => (
            <li data-find={`${method} ${path} ${summary}`.toLowerCase()}>
              <a href={`#${anchor}`} title={summary}>
                <span>
                  <Breakable path={path.replace(/^\/api\//, "")} />
                </span>{" "}
                <span class="verb">{method}</span>
              </a>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </>
);

/** Asked for once; the script keeps them in memory and nowhere else. */
const TryKey = () => (
  <section class="card js-only" aria-labelledby="try-heading">
    <h2 id="try-heading">Try it here</h2>
    <p class="soft">
      Every call below can be sent from this page, and acts for real. The key stays in this page's memory and
      is gone when it is closed.
    </p>
    <label for="try-key">API key</label>
    <input
      id="try-key"
      type="password"
      autocomplete="off"
      placeholder="pm_…"
      aria-describedby="try-key-hint"
    />
    <p class="hint" id="try-key-hint">
      Left empty, a Playmaker on your own machine takes you for its owner. Creating orgs needs the
      deployment's admin secret in place of a key.
    </p>
  </section>
);

const Before = () => (
  <section class="card" aria-labelledby="before-heading">
    <h2 id="before-heading">Before the first call</h2>
    <p>
      The commands below run in a shell as they stand, in the order of this page, once two variables are set:
    </p>
    <Copyable id="variables" label="Copy" text={SETUP} />
    <dl class="wrapping">
      <dt>Keys</dt>
      <dd>
        <code>Authorization: Bearer pm_…</code>, or <code>X-API-Key</code>. A key's roles give it scopes; each
        route names the one that it needs.
      </dd>
      <dt>Bodies</dt>
      <dd>JSON, at most 1 MiB; 8 MiB where conversations are published.</dd>
      <dt>Faults</dt>
      <dd>
        401 without a key, 403 without the scope, 413 too large, 422 with every fault by JSON pointer and what
        would be right, 429 with <code>Retry-After</code>.
      </dd>
      <dt>Retries</dt>
      <dd>
        Every POST takes an <code>Idempotency-Key</code>: the same key and request get the first answer again,
        for a day.
      </dd>
    </dl>
  </section>
);

const Job = ({ job, children }: { job: DocJob; children: Child }) => (
  <section class="job" id={job.id} aria-labelledby={`${job.id}-heading`} data-group>
    <h2 id={`${job.id}-heading`}>{job.title}</h2>
    <p class="intro">{job.intro}</p>
    {children}
  </section>
);

const countOf = (jobs: readonly DocJob[]): number =>
  jobs.reduce((sum, { routes }: { routes: readonly DocRoute[] }) => sum + routes.length, 0);

/** @returns the answers' maker */
export const docsPage = (jobs: readonly DocJob[]) =>
  openPage({
    title: "API",
    intro: `${countOf(jobs)} routes, by what they are for. Made from the routes themselves, so it says what is served.`,
    aside: (
      <div class="js-only find">
        <label for="find" class="visually-hidden">
          Find a route
        </label>
        <input
          id="find"
          type="search"
          placeholder="Find a route (press /)"
          data-finds
          data-key="/"
          autocomplete="off"
        />
      </div>
    ),
    navigation: <Navigation jobs={jobs} />,
    children: (
      <>
        <Before />
        <TryKey />
        <p class="soft" role="status" data-found />
        {jobs.map((job) => (
          <Job job={job}>
            {job.routes.map((route) => (
              <RouteCard route={route} />
            ))}
          </Job>
        ))}
      </>
    ),
  });
