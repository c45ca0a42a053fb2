import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const commands = [
  "build/build.ts",
  "libraries/main.ts",
  "new-component/new-component.ts",
  "parity/import-history.ts",
  "parity/parity.ts",
  "release/release.ts",
];
const call = (command: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, command), ...args], { encoding: "utf8" });

test.each(commands)("%s says what it does, and refuses unknown options in a sentence", (command) => {
  const help = call(command, "--help");
  expect([help.status, help.stdout, help.stderr]).toEqual([0, expect.stringMatching(/^npm run [a-z:-]+/), ""]);
  const unknown = call(command, "--unknown");
  expect([unknown.status, unknown.stdout]).toEqual([2, ""]);
  expect(unknown.stderr).toMatch(/^[a-z-]+: Unknown option '--unknown'.*\n$/);
});
