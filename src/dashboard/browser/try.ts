/**
 * Sends the documentation's calls from the page, to its own origin. The key and what answers yielded live in
 * memory only.
 */
interface Example {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  yields?: Record<string, { pointer: string }>;
}

/** Longer answers are cut in the page. */
const MAX_SHOWN_CHARS = 200_000;

/** What placeholders stand for, from answers so far. */
const yielded = new Map<string, string | number>();

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const isExample = (value: unknown): value is Example => value !== null && typeof value === "object";

function exampleOf(route: HTMLElement): Example {
  const parsed: unknown = JSON.parse(route.dataset.example ?? "{}");
  return isExample(parsed) ? parsed : {};
}

/** A number takes its place without the quotes around it. */
const fill = (text: string): string =>
  text
    .replaceAll(/"\{\{(\w+)\}\}"/g, (whole, name: string) => {
      const value = yielded.get(name);
      return value === undefined ? whole : JSON.stringify(value);
    })
    .replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => String(yielded.get(name) ?? whole));

function remember(example: Example, answer: unknown): void {
  for (const [name, { pointer }] of Object.entries(example.yields ?? {})) {
    const value = pointer
      .split("/")
      .slice(1)
      .reduce<unknown>(
        (at, key) => (at !== null && typeof at === "object" ? Reflect.get(at, key) : undefined),
        answer,
      );
    if (typeof value === "string" || typeof value === "number") yielded.set(name, value);
  }
}

function pretty(text: string): { text: string; value: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return { text: JSON.stringify(value, null, 2), value };
  } catch {
    return { text, value: undefined };
  }
}

const addressOf = (path: string, example: Example): string => {
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => example.params?.[name] ?? whole);
  const query = Object.entries(example.query ?? {}).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  return query.length === 0 ? filledPath : `${filledPath}?${query.join("&")}`;
};

function labelled(label: string, control: HTMLElement, id: string): HTMLElement {
  control.id = id;
  return element("div", {}, element("label", { htmlFor: id, textContent: label }), control);
}

/** The form of one route, made when it is first wanted. */
function formOf(route: HTMLElement, place: HTMLElement): HTMLFormElement {
  const { method = "GET", path = "" } = route.dataset;
  const example = exampleOf(route);
  const address = element("input", {
    type: "text",
    value: fill(addressOf(path, example)),
    required: true,
    spellcheck: false,
  });
  const body = element("textarea", {
    className: "code",
    value: fill(JSON.stringify(example.body ?? {}, null, 2)),
    rows: Math.min(16, JSON.stringify(example.body ?? {}, null, 2).split("\n").length + 1),
    spellcheck: false,
  });
  const sure = element("input", { type: "checkbox", required: true });
  const send = element("button", { type: "submit", textContent: "Send" });
  const said = element("p", { className: "soft" });
  said.setAttribute("role", "status");
  const shown = element("pre", { hidden: true, tabIndex: 0 });
  shown.setAttribute("aria-label", "Answer");
  const form = element(
    "form",
    { className: "try" },
    labelled("Address", address, `${route.id}-address`),
    ...(example.body === undefined ? [] : [labelled("Body", body, `${route.id}-body`)]),
    ...(method === "DELETE"
      ? [element("label", { className: "check" }, sure, "This deletes for good. I want that.")]
      : []),
    element("div", { className: "actions" }, send),
    said,
    shown,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });

  async function submit(): Promise<void> {
    address.value = fill(address.value);
    body.value = fill(body.value);
    const open = /\{\{\w+\}\}/.exec(`${address.value} ${example.body === undefined ? "" : body.value}`);
    if (open !== null) {
      said.textContent = `Put a value in place of ${open[0]}, or first send the call whose answer holds it.`;
      return;
    }
    const url = new URL(address.value, location.origin);
    if (url.origin !== location.origin) {
      said.textContent = "Only addresses of this Playmaker are called from here.";
      return;
    }
    const key = document.querySelector<HTMLInputElement>("#try-key")?.value.trim() ?? "";
    send.disabled = true;
    said.textContent = "Sending …";
    const startedMs = performance.now();
    try {
      const response = await fetch(url, {
        method,
        // The cookie of the desk is not for the API.
        credentials: "omit",
        headers: {
          ...(key !== "" && { authorization: `Bearer ${key}` }),
          ...(example.body !== undefined && { "content-type": "application/json" }),
        },
        ...(example.body !== undefined && { body: body.value }),
      });
      const answer = pretty(await response.text());
      said.textContent = `${response.status} ${response.statusText} in ${Math.round(performance.now() - startedMs)} ms`;
      shown.textContent = answer.text.slice(0, MAX_SHOWN_CHARS);
      shown.hidden = answer.text === "";
      if (response.ok) remember(example, answer.value);
    } catch {
      said.textContent = "The call did not reach Playmaker.";
    } finally {
      send.disabled = false;
      sure.checked = false;
    }
  }
  place.append(form);
  return form;
}

export function offerTries(): void {
  for (const place of document.querySelectorAll<HTMLElement>("[data-tries]")) {
    const route = place.closest<HTMLElement>("[data-path]");
    if (route === null) continue;
    let form: HTMLFormElement | undefined;
    const opener = element("button", { type: "button", className: "small", textContent: "Try it" });
    opener.setAttribute("aria-expanded", "false");
    opener.addEventListener("click", () => {
      if (form === undefined) form = formOf(route, place);
      else form.hidden = !form.hidden;
      opener.setAttribute("aria-expanded", String(!form.hidden));
      if (!form.hidden) form.querySelector<HTMLElement>("input, textarea, button")?.focus();
    });
    place.append(opener);
  }
}
