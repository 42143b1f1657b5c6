/** The last versions of the settings, each of which can be used again. */
import { Form } from "../fields";
import { Badge, plural, Time } from "../parts";
import { visible } from "../visible";
import { DifferenceTable } from "./difference-table";
import type { SettingsView, ShownVersion } from "./view";

const Again = ({ hash, current, label }: { hash: string; current: string; label: string }) => (
  <Form action="/desk/settings/restore" class="inline">
    <input type="hidden" name="hash" value={current} />
    <input type="hidden" name="version" value={hash} />
    <button type="submit" class="small" aria-label={label}>
      Use this one again
    </button>
  </Form>
);

const Version = ({ version, current }: { version: ShownVersion; current: string }) => (
  <li class="version">
    <div class="row between">
      <p>
        <Time sec={version.at} /> by {visible(version.by)}{" "}
        {version.isCurrent ? <Badge tone="good">In use</Badge> : null}
      </p>
      {version.isCurrent ? null : (
        <Again
          hash={version.hash}
          current={current}
          label={`Use the settings of ${new Date(version.at * 1000).toISOString().slice(0, 16)} by ${visible(version.by)} again`}
        />
      )}
    </div>
    {version.isCurrent ? null : <Differs version={version} />}
  </li>
);

const Differs = ({ version: { differences } }: { version: ShownVersion }) => {
  if (differences === null) return <p class="soft">Too long to be compared here.</p>;
  if (differences.length === 0) return <p class="soft">The same as what is in use.</p>;
  return (
    <details>
      <summary>{plural(differences.length, "difference")} from what is in use</summary>
      <DifferenceTable
        caption="What it would change"
        headings={["In use", "In this version"]}
        rows={differences}
      />
    </details>
  );
};

/** What was in use before the oldest change that is shown. */
const Before = ({ view }: { view: SettingsView }) => {
  const replaced = view.versions.at(-1)?.replaced ?? null;
  if (replaced === null || replaced === view.hash) return null;
  return (
    <li class="version">
      <div class="row between">
        <p>What was in use before</p>
        <Again hash={replaced} current={view.hash} label="Use what was in use before all of these again" />
      </div>
    </li>
  );
};

export const History = ({ view }: { view: SettingsView }) => (
  <section class="card" aria-labelledby="history-heading">
    <h2 id="history-heading">Versions</h2>
    {view.versions.length === 0 ? (
      <p class="soft">
        Nobody has changed the settings yet: the defaults are in use. Every change is kept here, and can be
        taken back.
      </p>
    ) : (
      <ol class="plain versions">
        {view.versions.map((version) => (
          <Version version={version} current={view.hash} />
        ))}
        <Before view={view} />
      </ol>
    )}
  </section>
);
