/** Where the pages of keys are. */
export const KEYS_PATH = "/desk/keys";
