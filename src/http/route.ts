/** A route as data: its dialect, its scope and limits, its schemas, and a thin handler. */
import type * as z from "zod";
import type { Database } from "../db/client";
import type { Failure } from "../platform/failure";
import type { Principal, Scope } from "../platform/principal";
import type { Services } from "../services";
import type { Browser } from "./browser";
import type { Dialect } from "./dialects";
import type { RouteExample } from "./example";

/** Requests a minute and key, by kind of work. */
export type LimitClass =
  | "publish"
  | "search"
  | "read"
  | "write"
  | "aggregate"
  | "generate"
  | "bulk"
  | "config"
  | "none";

/** `public` needs no key; `admin-secret` needs the deployment's own secret. */
export type RouteScope = Scope | "public" | "admin-secret";

export interface RequestScope {
  readonly services: Services;
  readonly principal: Principal;
  /** The principal's org; every statement takes it. */
  readonly orgId: string;
  readonly db: Database;
  /** Correlates logs, audit rows and lineage. */
  readonly requestId: string;
  /** Request headers. */
  readonly headers: Headers;
  /** Who shows the page; null where a program asks. */
  readonly browser: Browser | null;
}

/** A form that could not be taken as it is: why, and what was typed. */
export interface RefusedForm {
  failure: Failure;
  /** Every field as it was sent. */
  typed: Readonly<Record<string, string>>;
}

/** An answer other than `200` with a body. */
export class Reply {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

export interface RouteDefinition<
  Body extends z.ZodType | undefined = z.ZodType | undefined,
  Query extends z.ZodObject | undefined = z.ZodObject | undefined,
  Params extends z.ZodObject | undefined = z.ZodObject | undefined,
> {
  dialect: Dialect;
  method: "get" | "post" | "put" | "patch" | "delete";
  /** With `{name}` for path parameters. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  /** Fixed, or by what a request accepts where one path serves people and programs. */
  scope: RouteScope | ((headers: Headers) => RouteScope);
  limit: LimitClass;
  /**
   * Forms come from pages of the same origin only. `bytes` are not read before the handler, which then sees what is
   * wrong with a text. JSON where absent.
   */
  bodyType?: "json" | "form" | "bytes";
  /** 1 MiB where absent. */
  maxBodyBytes?: number;
  body?: Body;
  query?: Query;
  params?: Params;
  response: z.ZodType;
  /** The same for everybody, such as what pages load: it sets no cookie, and is no part of the API. */
  isAsset?: true;
  /** Its answer is shown once: no record of an Idempotency-Key keeps it. */
  answerHoldsSecret?: true;
  /** A call that works; every route of the API has one. */
  example?: RouteExample;
  /** Other answers a caller should know of. */
  otherAnswers?: Readonly<Record<number, string>>;
  /**
   * Of a form: shows it again with its faults and with what was typed. Where it is absent, or answers null, a
   * page of its own tells the fault.
   */
  refused?(scope: RequestScope, form: RefusedForm): Promise<Reply | null>;
  handler(
    scope: RequestScope,
    input: { body: Parsed<Body>; query: Parsed<Query>; params: Parsed<Params> },
  ): Promise<unknown>;
}

/** A route whose schemas only its own handler knows. */
export interface Route extends Omit<RouteDefinition, "handler"> {
  handler(scope: RequestScope, input: { body: unknown; query: unknown; params: unknown }): Promise<unknown>;
  validate(raw: { body: unknown; query: unknown; params: unknown }): {
    body: unknown;
    query: unknown;
    params: unknown;
  };
}
