import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import * as z from "zod";

const call = (path: string, body: unknown) =>
  exports.default.fetch(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

it("the app as it is served learns from a publish by way of its own queue", async () => {
  const published = await call("/api/publish_interaction?wait_for_response=true", {
    user_id: "app-user",
    session_id: "s",
    force_extraction: true,
    interaction_data_list: [
      { role: "User", content: "Draft the notice for the choir rehearsal." },
      { role: "Assistant", content: "Rehearsal on Tuesday, all welcome." },
      {
        role: "User",
        content:
          "You left out the entrance. Always name the entrance door in notices for the choir rehearsal.",
      },
    ],
  });
  const answer = z
    .object({ learning_status: z.string(), playbooks_added: z.int() })
    .parse(await published.json());
  expect(answer).toEqual({ learning_status: "done", playbooks_added: 1 });
  const listed = await call("/api/get_user_playbooks", { user_id: "app-user" });
  const { user_playbooks } = z
    .object({
      user_playbooks: z.array(
        z.object({ content: z.string(), source_interaction_ids: z.array(z.int()), source_span: z.string() }),
      ),
    })
    .parse(await listed.json());
  expect(user_playbooks).toHaveLength(1);
  expect(user_playbooks[0]?.content.toLowerCase()).toContain("entrance door");
  expect(user_playbooks[0]?.source_span).toContain("Always name the entrance door");
});
