/** What pages load. An address holds its content's hash, so browsers may keep it for good. */
import * as z from "zod";
import { defineRoute } from "../http/define";
import { Reply, type Route } from "../http/route";
import { script, style } from "./browser/generated";

const asset = (path: string, summary: string, contentType: string, text: string): Route =>
  defineRoute({
    dialect: "page",
    method: "get",
    path,
    tag: "Review desk",
    summary,
    scope: "public",
    limit: "none",
    isAsset: true,
    query: z.object({ v: z.string().max(64).optional() }),
    response: z.string(),
    handler: async () =>
      new Reply(200, text, {
        "content-type": contentType,
        "cache-control": "public, max-age=31536000, immutable",
      }),
  });

export const assetRoutes: Route[] = [
  asset("/desk/desk.css", "The desk's stylesheet", "text/css; charset=utf-8", style.text),
  asset("/desk/desk.js", "The desk's script", "text/javascript; charset=utf-8", script.text),
];
