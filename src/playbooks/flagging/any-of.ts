/** Word lists of the patterns, written as lists. */

/** `a, b c?, d` as one group of alternatives; a comma and white space part two of them. */
export const anyOf = (list: string): string => `(?:${list.trim().split(/,\s+/).join("|")})`;
