/** Ports that count their calls and fail one of them, before or after its effect. */
import { env } from "cloudflare:workers";
import { Database } from "../../src/db/client";
import { principalOfKey } from "../../src/orgs/keys";
import type { Services } from "../../src/services";
import { type TestServices, testServices } from "./services";

export interface Fault {
  /** The call that fails, counted from 1 over all ports. */
  call: number;
  when: "before" | "after";
}

export class InjectedFault extends Error {
  override readonly name = "InjectedFault";
}

export interface CountedPorts {
  services: TestServices;
  /** Names of the calls so far, in order. */
  calls: string[];
  /** Whether the fault was reached. */
  hit(): boolean;
}

/** Services whose every call that leaves the isolate is counted and may fail once. */
export function countedPorts(fault: Fault | null, overrides: Partial<Services> = {}): CountedPorts {
  const calls: string[] = [];
  let hit = false;
  const through = async <Value>(name: string, effect: () => Promise<Value>): Promise<Value> => {
    calls.push(name);
    const fails = fault !== null && calls.length === fault.call;
    if (fails) hit = true;
    if (fails && fault.when === "before") throw new InjectedFault(`${name} before its effect`);
    const value = await effect();
    if (fails) throw new InjectedFault(`${name} after its effect`);
    return value;
  };
  const base = testServices(overrides);
  const d1 = new Proxy(env.DB, {
    get(target, property) {
      if (property === "batch") {
        return (statements: D1PreparedStatement[]) => through("database", () => target.batch(statements));
      }
      const value = Reflect.get(target, property);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const database = new Database(d1);
  const services: TestServices = {
    ...base,
    database: () => database,
    principalOfKey: (key) => principalOfKey(database, key, base.clock),
    reasoner: (orgId) => ({
      run: (task, input, signal) =>
        through(`reasoner.${task}`, () => base.reasoner(orgId).run(task, input, signal)),
    }),
    embedder: {
      model: base.embedder.model,
      embed: (texts, purpose) => through("embedder", () => base.embedder.embed(texts, purpose)),
    },
    vectors: {
      upsert: (entries) => through("vectors.upsert", () => base.vectors.upsert(entries)),
      remove: (orgId, ids) => through("vectors.remove", () => base.vectors.remove(orgId, ids)),
      query: (query) => through("vectors.query", () => base.vectors.query(query)),
    },
    webhookEgress: (request, init) => through("webhook", () => base.webhookEgress(request, init)),
    send: (messages) => through("queue", () => base.send(messages)),
    wakeAggregation: (orgId, version) => through("coordinator", () => base.wakeAggregation(orgId, version)),
  };
  return { services, calls, hit: () => hit };
}
