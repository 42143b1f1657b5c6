/** What the keyboard does on the review page. */

const KEYS = [
  ["j", "next rule"],
  ["k", "rule before"],
  ["a", "approve"],
  ["r", "reject"],
  ["e", "edit"],
  ["u", "undo the last decision"],
  ["x", "select for a decision on several"],
  ["/", "search"],
  ["?", "this help"],
] as const;

export const HelpButton = () => (
  <button type="button" class="small js-only" data-opens="help">
    Keyboard <kbd>?</kbd>
  </button>
);

export const Help = () => (
  <dialog id="help" data-key="?" aria-labelledby="help-title">
    <h2 id="help-title">Review by keyboard</h2>
    <dl>
      {KEYS.map(([key, does]) => (
        <>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </>
      ))}
    </dl>
    <div class="actions">
      <button type="button" data-closes>
        Close
      </button>
    </div>
  </dialog>
);
