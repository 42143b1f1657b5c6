/** A text to take away: it can be marked by hand, and a script adds a button that copies it. */
import { visible } from "./visible";

export const Copyable = ({ id, label, text }: { id: string; label: string; text: string }) => (
  <div class="copyable">
    <pre id={id}>{visible(text)}</pre>
    <button type="button" class="small js-only" data-copies={id}>
      {label}
    </button>
  </div>
);
