/** The frame of every page: who is signed in, where one can go, and the policy that lets nothing else load. */

import type { Child } from "hono/jsx";
import { createContext, useContext } from "hono/jsx";
import { Reply, type RequestScope } from "../http/route";
import type { Scope } from "../platform/principal";
import { script, style } from "./browser/generated";
import { visible } from "./visible";

/** Nothing loads but this page's own style and script; forms and requests go home only. */
export const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** The token that forms carry; `Form` reads it. */
const FormToken = createContext("");
export const useFormToken = (): string => useContext(FormToken);

interface Destination {
  href: string;
  label: string;
  /** Who sees it. */
  scope: Scope;
}

const DESTINATIONS: readonly { heading: string; pages: readonly Destination[] }[] = [
  {
    heading: "Decide",
    pages: [
      { href: "/", label: "Review", scope: "read" },
      { href: "/desk/user-playbooks", label: "User playbooks", scope: "read" },
      { href: "/desk/revocations", label: "Revocations", scope: "review" },
    ],
  },
  {
    heading: "Look",
    pages: [
      { href: "/desk/sessions", label: "Sessions", scope: "read" },
      { href: "/desk/search", label: "Search", scope: "read" },
      { href: "/desk/clusters", label: "Clusters", scope: "read" },
    ],
  },
  {
    heading: "Run",
    pages: [
      { href: "/desk/learning", label: "Learning", scope: "read" },
      { href: "/desk/dead-letters", label: "Dead letters", scope: "admin" },
      { href: "/desk/usage", label: "Usage", scope: "admin" },
    ],
  },
  {
    heading: "Set up",
    pages: [
      { href: "/desk/settings", label: "Settings", scope: "admin" },
      { href: "/desk/keys", label: "Keys", scope: "admin" },
      { href: "/desk/webhook", label: "Webhook", scope: "admin" },
      { href: "/docs", label: "API", scope: "read" },
    ],
  },
];

const Mark = () => (
  <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path
      d="M4 19c3-9 7-9 8-4s4 5 8-9"
      fill="none"
      stroke="currentColor"
      stroke-width="2.2"
      stroke-linecap="round"
    />
    <circle cx="4" cy="19" r="2.4" fill="currentColor" />
    <path
      d="M16.4 6.6 20 6l.9 3.6"
      fill="none"
      stroke="currentColor"
      stroke-width="2.2"
      stroke-linecap="round"
    />
  </svg>
);

interface DocumentProps {
  title: string;
  nonce: string;
  children: Child;
}

const Document = ({ title, nonce, children }: DocumentProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} · Playmaker`}</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href={`/desk/desk.css?v=${style.hash}`} nonce={nonce} />
      <script src={`/desk/desk.js?v=${script.hash}`} nonce={nonce} defer />
    </head>
    <body>{children}</body>
  </html>
);

const Navigation = ({ scope, current }: { scope: RequestScope; current: string }) => (
  <>
    {DESTINATIONS.map(({ heading, pages }) => {
      const open = pages.filter((page) => scope.principal.scopes.includes(page.scope));
      return open.length === 0 ? null : (
        <>
          <h2>{heading}</h2>
          <ul>
            {open.map(({ href, label }) => (
              <li>
                <a href={href} aria-current={href === current ? "page" : undefined}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </>
      );
    })}
  </>
);

const Who = ({ scope }: { scope: RequestScope }) => {
  const { id, roles, keyId } = scope.principal;
  return (
    <div class="who">
      {visible(id)} ({roles.join(", ")})
      {keyId === undefined ? (
        <div>
          Open on this machine. <a href="/sign-in">Sign in with a key</a>
        </div>
      ) : (
        <form method="post" action="/sign-out">
          <input type="hidden" name="csrf" value={useFormToken()} />
          <button type="submit" class="small">
            Sign out
          </button>
        </form>
      )}
    </div>
  );
};

export interface PageProps {
  title: string;
  /** The page's entry in the navigation, such as `/desk/sessions`. */
  current: string;
  /** One or two sentences below the title. */
  intro?: Child;
  /** Beside the title, such as a button. */
  aside?: Child;
  /** For tables, plots and pages of two columns. */
  isWide?: boolean;
  status?: number;
  headers?: Readonly<Record<string, string>>;
  children: Child;
}

/** The place of everything on a page: where one can go beside what the page is about. */
const Frame = ({
  page,
  navigation,
}: {
  page: Pick<PageProps, "title" | "intro" | "aside" | "isWide" | "children">;
  navigation: Child;
}) => (
  <div class="frame">
    <a class="skip" href="#main">
      Skip to the content
    </a>
    <header class="side">
      <div class="sticky">
        <a class="brand" href="/">
          <Mark /> Playmaker
        </a>
        <details class="menu">
          <summary>Menu</summary>
          <nav aria-label="Pages">{navigation}</nav>
        </details>
      </div>
    </header>
    <main id="main" class={page.isWide === true ? "wide" : undefined} tabindex={-1}>
      <div class="head">
        <h1>{page.title}</h1>
        {page.aside ?? null}
        {page.intro === undefined ? null : <p class="intro">{page.intro}</p>}
      </div>
      {page.children}
    </main>
  </div>
);

function htmlReply(
  scope: RequestScope,
  { title, status = 200, headers = {} }: Pick<PageProps, "title" | "status" | "headers">,
  body: Child,
): Reply {
  const nonce = scope.services.ids.random("n");
  const document = (
    <FormToken.Provider value={scope.browser?.csrf ?? ""}>
      <Document title={title} nonce={nonce}>
        {body}
      </Document>
    </FormToken.Provider>
  );
  return htmlOf(status, `<!doctype html>${document.toString()}`, nonce, headers);
}

const htmlOf = (
  status: number,
  text: string,
  nonce: string,
  headers: Readonly<Record<string, string>> = {},
): Reply =>
  new Reply(status, text, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy(nonce),
    ...headers,
  });

/** A page of the desk, for somebody who is signed in. */
export const page = (scope: RequestScope, props: PageProps): Reply =>
  htmlReply(
    scope,
    props,
    <Frame
      page={props}
      navigation={
        <>
          <Navigation scope={scope} current={props.current} />
          <Who scope={scope} />
        </>
      }
    />,
  );

/** What each answer's own nonce takes the place of in a page that was rendered beforehand. */
const NONCE_MARK = "@nonce@";

/**
 * A page that is the same for everybody and has no form: rendered once, answered often.
 * @returns the answers' maker, which gives each its own nonce
 */
export function openPage(
  props: Pick<PageProps, "title" | "intro" | "aside" | "children"> & { navigation: Child },
): (nonce: string) => Reply {
  const document = (
    <Document title={props.title} nonce={NONCE_MARK}>
      <Frame page={{ ...props, isWide: true }} navigation={props.navigation} />
    </Document>
  );
  const parts = `<!doctype html>${document.toString()}`.split(`nonce="${NONCE_MARK}"`);
  return (nonce) => htmlOf(200, parts.join(`nonce="${nonce}"`), nonce);
}

/** A page without navigation: signing in. */
export const lonePage = (
  scope: RequestScope,
  props: Pick<PageProps, "title" | "status" | "headers" | "children">,
): Reply =>
  htmlReply(
    scope,
    props,
    <main class="alone" id="main">
      {props.children}
    </main>,
  );

/** After a form was taken: the page it leads to, so that reloading sends nothing twice. */
export const seeOther = (location: string, headers: Readonly<Record<string, string>> = {}): Reply =>
  new Reply(303, "", { "content-type": "text/html; charset=utf-8", location, ...headers });
