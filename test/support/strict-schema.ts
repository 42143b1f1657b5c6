/** What strict structured output demands of a JSON schema; a provider refuses the call otherwise. */
import * as z from "zod";

const nodeSchema = z.record(z.string(), z.unknown());

const allowedKeywords = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "anyOf",
  "const",
  "description",
]);

/** Every fault with its place; empty for a schema that strict mode takes. */
export function strictSchemaFaults(schema: unknown, at = "#"): string[] {
  const parsed = nodeSchema.safeParse(schema);
  if (!parsed.success) return [`${at}: not a schema object`];
  const node = parsed.data;
  const faults = Object.keys(node)
    .filter((keyword) => !allowedKeywords.has(keyword))
    .map((keyword) => `${at}: ${keyword} is not supported`);
  if (at === "#" && node.type !== "object") faults.push("#: the root is not an object");
  if (node.type === "object") {
    const properties = nodeSchema.parse(node.properties ?? {});
    const required = z.array(z.string()).parse(node.required ?? []);
    if (node.additionalProperties !== false) faults.push(`${at}: additionalProperties is not false`);
    for (const [name, child] of Object.entries(properties)) {
      if (!required.includes(name)) faults.push(`${at}/${name}: not required`);
      faults.push(...strictSchemaFaults(child, `${at}/${name}`));
    }
  } else if (node.type === "array") {
    faults.push(...strictSchemaFaults(node.items, `${at}[]`));
  } else if (Array.isArray(node.anyOf)) {
    node.anyOf.forEach((child, index) => {
      faults.push(...strictSchemaFaults(child, `${at}|${index}`));
    });
  } else if (node.type === undefined) {
    faults.push(`${at}: no type`);
  }
  return faults;
}
