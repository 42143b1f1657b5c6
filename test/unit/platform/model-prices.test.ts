/** The setting MODEL_PRICES: what is refused is named. */
import { describe, expect, it } from "vitest";
import { readSettings } from "../../../src/env";

const read = (text: string) => readSettings({ MODEL_PRICES: text }).MODEL_PRICES;

describe("MODEL_PRICES", () => {
  it("is USD per million tokens by the model's name", () => {
    const prices = read('{"a-model": {"input": 0.25, "output": 2}}');
    expect(prices.get("a-model")).toEqual({ input: 0.25, output: 2 });
    expect(prices.get("constructor")).toBeUndefined();
  });

  it("may be absent or empty", () => {
    expect(readSettings({}).MODEL_PRICES.size).toBe(0);
    expect(read(" ").size).toBe(0);
    expect(read("{}").size).toBe(0);
  });

  it.each(["{", "[]", "7", '"x"', "null"])("refuses %s as no object of prices", (text) => {
    expect(() => read(text)).toThrow(/^Settings: MODEL_PRICES must be a JSON object/);
  });

  it.each([
    ['{"m": 3}'],
    ['{"m": {"input": -1, "output": 2}}'],
    ['{"m": {"input": "1", "output": 2}}'],
    ['{"m": {"input": 1}}'],
    ['{"m": {"input": 1, "output": 2, "cached": 1}}'],
    ['{"m": {"input": 1e400, "output": 2}}'],
  ])("names the model whose price is wrong: %s", (text) => {
    expect(() => read(text)).toThrow(/MODEL_PRICES needs "input" and "output" of "m" and nothing else/);
  });
});
