/** The Worker: fetch, queue, scheduled, and the exported classes. Wiring only. */
import { type Bindings, createServices } from "./compose";
import { createApp } from "./http/app";
import { routes } from "./routes";
import { consume, hourly, noteDead, sweep } from "./work";

export { AggregationCoordinator } from "./aggregation/coordinator";
export { EmbeddedVectorIndex } from "./platform/vectors/embedded";

const app = createApp<Env>(routes, (env, context) => ({
  services: (requestId) => createServices(env, { requestId, defer: (work) => context.waitUntil(work) }),
  limits: env,
}));

const HOURLY = "0 * * * *";
const DEAD_LETTER_SUFFIX = "-dead";

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  async queue(batch, env, context) {
    const services = createServices(env, {
      requestId: batch.queue,
      defer: (work) => context.waitUntil(work),
    });
    if (batch.queue.endsWith(DEAD_LETTER_SUFFIX)) noteDead(services, batch);
    else await consume(services, batch);
  },
  async scheduled(controller, env, context) {
    const services = createServices(env, {
      requestId: `cron ${controller.cron}`,
      defer: (work) => context.waitUntil(work),
    });
    if (controller.cron === HOURLY) await hourly(services);
    else await sweep(services);
  },
} satisfies ExportedHandler<Env & Bindings>;
