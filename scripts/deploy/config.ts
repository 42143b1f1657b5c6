/** What of wrangler's resolved configuration is held against the design. */
import { unstable_readConfig as readConfig } from "wrangler";
import * as z from "zod";

const configSchema = z.object({
  vars: z.record(z.string(), z.unknown()),
  d1_databases: z.array(z.object({ binding: z.string(), database_name: z.string() })),
  vectorize: z.array(z.object({ binding: z.string(), index_name: z.string() })),
  ai: z.object({ binding: z.string() }).optional(),
  durable_objects: z.object({ bindings: z.array(z.object({ name: z.string() })) }),
  queues: z.object({
    producers: z.array(z.object({ binding: z.string(), queue: z.string() })).default([]),
    consumers: z.array(z.object({ queue: z.string(), dead_letter_queue: z.string().optional() })).default([]),
  }),
  triggers: z.object({ crons: z.array(z.string()).default([]) }),
  ratelimits: z.array(z.object({ name: z.string(), namespace_id: z.string() })),
  limits: z.object({ cpu_ms: z.int() }).optional(),
});
export type Config = z.output<typeof configSchema>;

/** One thing that `wrangler deploy` can put on line; `""` is the top level, without `--env`. */
export interface Environment {
  name: string;
  config: Config;
}

/** The top level and every environment that the file itself has. */
export function readEnvironments(file: string): Environment[] {
  const { definedEnvironments } = z
    .object({ definedEnvironments: z.array(z.string()).default([]) })
    .parse(readConfig({ config: file }, { hideWarnings: true }));
  return ["", ...definedEnvironments].map((name) => ({
    name,
    config: configSchema.parse(readConfig({ config: file, env: name }, { hideWarnings: true })),
  }));
}
