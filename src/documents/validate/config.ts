/** The playbook's own configuration: a usable schema, and bound values that fit it (D209, D210). */
import { checkUserSchema, compileUserSchema } from "../user-schema";
import type { Pass } from "./index";
import { isObject } from "./view";

export const checkConfig: Pass = ({ playbook }, report) => {
  const { configSchema, config } = playbook;
  if (!isObject(configSchema)) return;
  const faults = checkUserSchema(configSchema);
  for (const { pointer, message, hint } of faults) {
    report("D209", `/playbook/configSchema${pointer}`, message, { hint });
  }
  if (faults.length > 0 || !isObject(config)) return;
  for (const { pointer, message, expected } of compileUserSchema(configSchema).validate(config)) {
    report("D210", `/playbook/config${pointer}`, message, { hint: expected });
  }
};
