/** The documentation over HTTP, open to everybody: a page, `llms.txt`, and Markdown by job. */
import * as z from "zod";
import { defineRoute } from "../../http/define";
import { Reply, type Route } from "../../http/route";
import { html } from "../html";
import { JOBS } from "./jobs";
import { jobMarkdown, llmsText, markdownPath } from "./llms";
import { docsPage } from "./page";
import { type DocJob, referenceOf } from "./reference";

const once = <Value>(make: () => Value): (() => Value) => {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

const common = {
  dialect: "page",
  method: "get",
  tag: "Documentation",
  scope: "public",
  limit: "none",
  // The same for everybody: it sets no cookie and reads none.
  isAsset: true,
} as const;

const textRoute = (path: string, summary: string, contentType: string, text: () => string): Route =>
  defineRoute({
    ...common,
    path,
    summary,
    response: z.string(),
    handler: async () => new Reply(200, text(), { "content-type": `${contentType}; charset=utf-8` }),
  });

/** @param routesOf all routes of the Worker, read when the first page is asked for */
export function docsRoutes(routesOf: () => readonly Route[]): Route[] {
  const reference = once((): DocJob[] => referenceOf(routesOf()));
  const page = once(() => docsPage(reference()));
  const llms = once(() => llmsText(reference()));
  const show = defineRoute({
    ...common,
    path: "/docs",
    summary: "The API's documentation",
    response: html,
    handler: async ({ services }) => page()(services.ids.random("n")),
  });
  return [
    show,
    textRoute("/llms.txt", "The API in short, for language models", "text/plain", llms),
    ...JOBS.map((job) =>
      textRoute(markdownPath(job), `${job.title}, for language models`, "text/markdown", () => {
        const documented = reference().find(({ id }) => id === job.id);
        return documented === undefined ? "" : jobMarkdown(documented);
      }),
    ),
  ];
}
