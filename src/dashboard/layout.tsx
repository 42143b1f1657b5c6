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
:root { color-scheme: light dark; --ink: light-dark(#1b1f24, #e9ebee); --soft: light-dark(#57606a, #a8b0bb);
  --paper: light-dark(#f6f5f1, #131517); --card: light-dark(#ffffff, #1d2023); --line: light-dark(#dedcd5, #34383e);
  --quote: light-dark(#f6f5f1, #25292d); --accent: light-dark(#0b57d0, #8ab4f8); --good: light-dark(#14663a, #7fd6a2);
  --bad: light-dark(#a1261b, #f2a59d); --warn: light-dark(#7a4a00, #f0c36d); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
header, main { max-width: 52rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 2rem; margin-bottom: 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 1rem; letter-spacing: -.01em; }
nav { display: flex; flex-wrap: wrap; gap: 0 1.25rem; border-bottom: 1px solid var(--line); }
nav a { padding: .5rem 0; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; margin-bottom: -1px; }
nav a::first-letter { text-transform: uppercase; }
nav a:hover { color: var(--ink); }
nav a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent); }
nav a:last-child { margin-left: auto; }
a { color: var(--accent); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; margin: 0 0 1rem; }
.card p, .card h2, blockquote { overflow-wrap: anywhere; white-space: pre-line; }
.card h2 { font-size: 1.125rem; line-height: 1.35; margin: 0 0 .75rem; text-wrap: pretty; }
.card p { margin: 0 0 .5rem; }
.card > :last-child { margin-bottom: 0; }
.soft { color: var(--soft); font-size: .875rem; }
dl { margin: 0 0 .75rem; display: grid; grid-template-columns: 3.25rem 1fr; gap: .25rem .75rem; }
dt { color: var(--soft); font-size: .875rem; line-height: 1.7; } dd { margin: 0; overflow-wrap: anywhere; white-space: pre-line; }
.flags { list-style: none; display: flex; flex-wrap: wrap; gap: .4rem; padding: 0; margin: 0 0 .75rem; }
.flags li { border: 1px solid var(--warn); color: var(--warn); border-radius: 1rem; padding: 0 .7rem; font-size: .8125rem; }
details { margin: 0 0 .75rem; } summary { cursor: pointer; width: fit-content; padding: .25rem 0; border-radius: .25rem; }
.sources { list-style: none; padding: 0; margin: .5rem 0 0; display: grid; gap: 1rem; }
.sources > li > p { margin: 0 0 .4rem; }
blockquote { margin: 0 0 .4rem; padding: .5rem .75rem; border-left: 3px solid var(--accent); border-radius: 0 .4rem .4rem 0; background: var(--quote); }
blockquote cite { display: block; font-style: normal; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0 .75rem; }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .4rem 1.25rem; border-radius: .5rem;
  border: 1px solid var(--line); background: var(--card); color: var(--ink); cursor: pointer; }
button:hover { background: var(--quote); }
button.good { background: var(--good); border-color: var(--good); color: var(--card); } button.good:hover { opacity: .9; }
button.bad { border-color: var(--bad); color: var(--bad); }
:is(button, a, summary, textarea):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
label { display: block; font-size: .875rem; margin: .75rem 0 .25rem; }
textarea { width: 100%; font: inherit; padding: .5rem .6rem; border: 1px solid var(--soft); border-radius: .5rem; background: var(--paper); color: var(--ink); resize: vertical; }
textarea + button { margin-top: .75rem; }
.notice { border-color: var(--good); border-left-width: 4px; padding: .75rem 1.25rem; }
@media (forced-colors: active) { button.good { border-width: 2px; } }
@media (max-width: 24rem) { .card { padding: 1rem; } dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .4rem; } .actions form, .actions button { flex: 1 1 100%; width: 100%; } nav { gap: 0 .75rem; } nav a:last-child { margin-left: 0; } }
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
