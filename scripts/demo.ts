/**
 * `npm run demo`: the whole loop on this machine. Conversations of several users go in over HTTP, rules come
 * out with the turns that prove them, one is approved, and a new conversation is served it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as api from "./demo/api";
import { AGENT_VERSION, aggregate, publishConversations, waitForLearning } from "./demo/scene";
import { bold, cyan, dim, green, heading, indent, progress } from "./demo/screen";
import { askedToStop, untilAborted } from "./local/lifetime";
import { freePort, type LocalServer, startServer } from "./local/server";

const NEW_CONVERSATION = [
  { role: "User", content: "I changed the refund query. Can you get this change into main for me today?" },
];
const keep = process.argv.includes("--keep");
async function showUserPlaybooks(call: api.Call): Promise<void> {
  const { user_playbooks: rules } = await call(api.userPlaybooks, "POST", "/api/get_user_playbooks", {
    agent_version: AGENT_VERSION,
  });
  for (const rule of rules.toReversed()) {
    const { interactions } = await call(api.interactions, "POST", "/api/get_interactions", {
      user_id: rule.user_id,
      top_k: 100,
    });
    console.log(indent(`${cyan(rule.user_id ?? "")}  When: ${rule.trigger ?? "always"}`, 4, "  • "));
    console.log(indent(`Do: ${rule.content}`, 4));
    for (const turn of interactions.filter(({ interaction_id }) =>
      rule.source_interaction_ids.includes(interaction_id),
    )) {
      console.log(dim(indent(`proved by ${turn.role}: “${turn.content}”`, 6)));
    }
  }
}

async function showPending(call: api.Call) {
  const { agent_playbooks: rules } = await call(api.agentPlaybooks, "POST", "/api/get_agent_playbooks", {
    agent_version: AGENT_VERSION,
    playbook_status_filter: "pending",
  });
  for (const rule of rules) {
    const { user_count } = await call(
      api.evidence,
      "GET",
      `/api/agent_playbooks/${rule.agent_playbook_id}/evidence`,
    );
    console.log(
      indent(
        `#${rule.agent_playbook_id} from ${user_count} users. When: ${rule.trigger ?? "always"}`,
        4,
        "  • ",
      ),
    );
    console.log(indent(`Do: ${rule.content}`, 4));
  }
  return rules;
}

async function run(server: LocalServer): Promise<void> {
  const call = api.createApi(server.url);
  heading("1. Four people talk to an assistant");
  const requestIds = await publishConversations(call, (userId, turns) =>
    console.log(`  ${userId.padEnd(8)} ${turns} turns`),
  );
  heading("2. Playmaker learns from the turns");
  await waitForLearning(call, requestIds, { onProgress: progress("learning", requestIds.length) });
  heading("3. User playbooks, and the turns that prove them");
  await showUserPlaybooks(call);
  heading("4. What several users taught becomes rules for the agent");
  console.log(`  ${await aggregate(call)}`);
  const pending = await showPending(call);
  const chosen =
    pending.find(({ content, trigger }) => /pull request/i.test(`${trigger} ${content}`)) ?? pending[0];
  if (chosen === undefined) throw new Error("No agent playbook was synthesised.");
  heading(`5. A person approves #${chosen.agent_playbook_id}`);
  await call(api.outcome, "PUT", "/api/update_agent_playbook_status", {
    agent_playbook_id: chosen.agent_playbook_id,
    playbook_status: "approved",
  });
  console.log(green("  approved"));
  heading("6. A new conversation asks for its context");
  console.log(dim(`  User: “${NEW_CONVERSATION[0]?.content}”`));
  const served = await call(api.context, "POST", "/api/context", {
    messages: NEW_CONVERSATION,
    agent_version: AGENT_VERSION,
    user_id: "priscilla",
  });
  console.log(served.context.replaceAll(/^/gm, "  "));
  console.log(dim(`  ${served.tokens} tokens, ${served.citations.length} cited`));
  if (!served.citations.some(({ tag }) => tag.includes(String(chosen.agent_playbook_id)))) {
    throw new Error("The approved rule is not in the context.");
  }
  heading(`${pending.length - 1} more wait for review at ${bold(`${server.url}/`)}`);
}

const stateDir = keep ? resolve(".playmaker/demo") : mkdtempSync(join(tmpdir(), "playmaker-demo-"));
if (keep) rmSync(stateDir, { recursive: true, force: true });
const stop = askedToStop();
let server: LocalServer | undefined;
let exitCode = 0;
try {
  console.log("Starting Playmaker on this machine: no account, no key, no network.");
  const port = keep ? Number(process.env.PORT ?? 8787) : await freePort();
  server = await startServer({ port, stateDir, stop, logLevel: "error" });
  await Promise.race([run(server), untilAborted(stop)]);
  if (keep) {
    console.log("The server keeps running; Ctrl-C stops it.");
    await Promise.race([server.ended, untilAborted(stop)]);
    throw new Error("The server ended by itself.");
  }
  console.log(dim("That server ends now; `npm run demo -- --keep` leaves it running."));
} catch (error) {
  const isFinished = stop.aborted && keep;
  exitCode = isFinished ? 0 : 1;
  if (!isFinished) console.error(error instanceof Error ? error.message : error);
} finally {
  await server?.stop();
  if (!keep) rmSync(stateDir, { recursive: true, force: true });
}
process.exit(exitCode);
