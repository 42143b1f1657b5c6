/** The whole Config as a JSON document, for what has no field of its own. */
import type { Issue } from "../../platform/failure";
import { Form } from "../fields";
import { visible } from "../visible";
import { DifferenceTable } from "./difference-table";
import type { Difference } from "./json";

export interface AdvancedProps {
  /** The Config that the document was written over. */
  hash: string;
  text: string;
  issues: readonly Issue[];
  /** What others changed since; the document still holds what was typed. */
  meanwhile: readonly Difference[];
  isOpen: boolean;
}

const FAULTS = "document-faults";

const Faults = ({ issues }: { issues: readonly Issue[] }) => (
  <ul class="fault" id={FAULTS}>
    {issues.map(({ pointer, message, expected }) => (
      <li>
        {pointer === "" ? null : <code>{visible(pointer)}</code>} {visible(message)} (expected:{" "}
        {visible(expected)})
      </li>
    ))}
  </ul>
);

export const Advanced = ({ hash, text, issues, meanwhile, isOpen }: AdvancedProps) => (
  <details class="card" id="advanced" open={isOpen}>
    <summary>
      <h2>Advanced: the whole document</h2>
    </summary>
    <p class="soft">
      Every setting as JSON. A key that is left out takes its default; unknown keys are refused. Saving it
      replaces all settings at once.
    </p>
    {meanwhile.length === 0 ? null : (
      <>
        <p>
          <strong>Changed meanwhile by somebody else.</strong> The document below is what you typed and does
          not hold these changes; saving it takes them back.
        </p>
        <DifferenceTable caption="What somebody else changed" headings={["Before", "Now"]} rows={meanwhile} />
      </>
    )}
    <Form action="/desk/settings/document">
      <input type="hidden" name="hash" value={hash} />
      <label for="field-document">Settings as JSON</label>
      <textarea
        id="field-document"
        name="document"
        class="code"
        rows={24}
        spellcheck={false}
        aria-invalid={issues.length > 0 ? "true" : undefined}
        aria-describedby={issues.length > 0 ? FAULTS : undefined}
      >
        {`\n${text}`}
      </textarea>
      {issues.length === 0 ? null : <Faults issues={issues} />}
      <div class="actions">
        <button type="submit">Save the document</button>
      </div>
    </Form>
  </details>
);
