/** The frame of every page: one stylesheet, no script, nothing from another host. */

import { raw } from "hono/html";
import type { Child } from "hono/jsx";

/** Nothing loads but this page's own style; forms go home only. */
export const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    "img-src data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const CSS = `
:root { color-scheme: light dark; --ink: light-dark(#1c2024, #e8eaed); --soft: light-dark(#5c6570, #a5adb8);
  --paper: light-dark(#f7f7f5, #16181b); --card: light-dark(#fff, #1f2226); --line: light-dark(#dcdfe3, #353a41);
  --accent: light-dark(#0b57d0, #8ab4f8); --good: light-dark(#14663a, #7fd6a2); --bad: light-dark(#a1261b, #f2a59d);
  --warn: light-dark(#7a4a00, #f0c36d); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header, main, footer { max-width: 60rem; margin: 0 auto; padding: 1rem; }
header h1 { font-size: 1.25rem; margin: 0; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-top: .5rem; }
a { color: var(--accent); }
nav a[aria-current] { color: var(--ink); font-weight: 600; text-decoration: none; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin: 0 0 1rem; }
.card h2 { font-size: 1.05rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
.card p { margin: .25rem 0; overflow-wrap: anywhere; white-space: pre-line; }
.soft { color: var(--soft); font-size: .875rem; }
.flag { display: inline-block; border: 1px solid var(--warn); color: var(--warn); border-radius: 1rem; padding: 0 .6rem;
  font-size: .8rem; margin: .25rem .4rem .25rem 0; }
blockquote { margin: .4rem 0; padding: .1rem .8rem; border-left: 3px solid var(--accent); overflow-wrap: anywhere; white-space: pre-line; }
details { margin: .5rem 0; } summary { cursor: pointer; }
form { display: inline-block; margin: .25rem .5rem .25rem 0; } form.edit { display: block; }
button { font: inherit; padding: .4rem 1rem; border-radius: .4rem; border: 1px solid var(--line); background: var(--card); color: var(--ink); cursor: pointer; }
button.good { border-color: var(--good); color: var(--good); } button.bad { border-color: var(--bad); color: var(--bad); }
button:focus-visible, a:focus-visible, summary:focus-visible, textarea:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
label { display: block; font-size: .875rem; margin-top: .5rem; }
textarea { width: 100%; font: inherit; padding: .4rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--paper); color: var(--ink); }
.notice { border-color: var(--accent); }
`;

interface LayoutProps {
  title: string;
  nonce: string;
  children: Child;
}

export const Layout = ({ title, nonce, children }: LayoutProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title}</title>
      <link rel="icon" href="data:," />
      <style nonce={nonce}>{raw(CSS)}</style>
    </head>
    <body>{children}</body>
  </html>
);
