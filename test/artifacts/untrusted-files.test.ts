import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./testing/run.ts";

/** A folder with everything that the runtime would obey if it were asked to. */
let hostile: string;
beforeAll(() => {
  hostile = mkdtempSync(join(tmpdir(), "hostile-"));
  mkdirSync(join(hostile, "node_modules/yaml"), { recursive: true });
  const evil = join(hostile, "evil.ts");
  const files = {
    "evil.ts": `require("node:fs").writeFileSync(${JSON.stringify(join(hostile, "was-here"))}, ""); process.exit(66);`,
    ".env": "KUBECONFIG=/from-dot-env\n",
    ".env.local": "KUBECONFIG=/from-dot-env\n",
    ".env.production": "KUBECONFIG=/from-dot-env\n",
    "bunfig.toml": `preload = ["${evil}"]\n`,
    ".bunfig.toml": `preload = ["${evil}"]\n`,
    "tsconfig.json": JSON.stringify({ compilerOptions: { paths: { "*": [evil] } } }),
    "package.json": JSON.stringify({ name: "hostile", main: "evil.ts", imports: { "#*": "./evil.ts" } }),
    "node_modules/yaml/index.js": "process.exit(66);",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(hostile, name), text);
  chmodSync(hostile, 0o555);
});
afterAll(() => {
  chmodSync(hostile, 0o755);
  rmSync(hostile, { recursive: true });
});

test.each<[string, Record<string, string>]>([
  ["the working directory", {}],
  ["the home directory", { HOME: "HOSTILE", XDG_CONFIG_HOME: "HOSTILE" }],
])("no file in %s is read", (_where, variables) => {
  const env = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value.replace("HOSTILE", hostile)]));
  const before = readdirSync(hostile);
  expect(run(["--version"], { cwd: hostile, env })).toMatchObject({ exitCode: 0, stderr: "" });
  const { exitCode, stderr } = run(["--controllers=attacher"], { cwd: hostile, env });
  expect(exitCode).toBe(1);
  expect(stderr).toContain("unable to load in-cluster configuration");
  expect(readdirSync(hostile)).toEqual(before);
});
