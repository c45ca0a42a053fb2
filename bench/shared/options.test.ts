import { expect, test } from "bun:test";
import { readControllerOptions } from "./options.ts";

const read = (...args: string[]) => readControllerOptions(args, {}, { "limited-volumes": [1000, 1, 10_000], rounds: [3, 1] });

test("numbers have defaults and ranges, and what is unknown is refused", () => {
  const { limitedVolumes, rounds, json, server } = read("--limited-volumes", "20", "--server=embedded", "--json=out.json");
  expect([limitedVolumes, rounds, json, server]).toEqual([20, 3, "out.json", "embedded"]);
  expect(() => read("--limited-volumes=20000")).toThrow('--limited-volumes: expected a number from 1 to 10000, got "20000"');
  expect(() => read("--rounds=0")).toThrow('--rounds: expected a number from 1, got "0"');
  expect(() => read("--server=fake")).toThrow('expected "real" or "embedded"');
  expect(() => read("--claims=1")).toThrow("claims");
});
