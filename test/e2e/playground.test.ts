import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { alive, descendants, type Playgrounds, pidsIn, playgroundMain, playgrounds, ready } from "./testing/playground.ts";
import { until } from "./testing/until.ts";

let world: Playgrounds;
beforeAll(() => {
  world = playgrounds();
});
afterAll(() => world[Symbol.asyncDispose]());

const readme = join(import.meta.dirname, "../../README.md");

/** The output of the demo, without what differs from run to run. */
const transcript = (text: string) =>
  (/^The cluster, the driver.*^All \d+ steps passed[^\n]*/ms.exec(text)?.[0] ?? "")
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<id>")
    .replace(/\[\d+ ms\]|[\d.]+ s\.|\d+ events/g, "<number>")
    .split("\n");

describe("the playground", () => {
  test.each([
    ["19 steps", []],
    ["22 steps", ["--topology", "zones=3", "--nodes", "4"]],
  ])(
    "runs the demo, %s, and leaves nothing behind",
    async (steps, flags) => {
      const [code, output] = await world.run(["--demo", ...flags]);
      expect([code, output]).toEqual([0, expect.stringContaining(`All ${steps} passed`)]);
      for (const seen of [
        "the new pod on node-\\d has the file",
        "CreateVolume called 2 times, one volume created",
        'the restored volume has "old data"',
        'VolumeConditionAbnormal: the disk is failing; "why pvc" says so too',
        'VolumeConditionNormal: The Volume returns to the healthy state; "why pvc" finds nothing wrong',
      ])
        expect(output).toMatch(new RegExp(seen));
      if (flags.length === 0) {
        const documented = transcript(readFileSync(readme, "utf8"));
        expect(documented).toHaveLength(40);
        expect(transcript(output)).toEqual(documented);
      } else expect(output).toContain("which the driver created in zone-3, with that node affinity; the pod runs on node-3");
      expect(world.leftovers()).toEqual([]);
    },
    90_000,
  );

  test.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const)(
    "ends all its processes and removes its folder after %s",
    async (signal) => {
      const run = world.start([]);
      await ready(run);
      const pids = [...pidsIn(run.output()), ...descendants(run.child.pid ?? 0)];
      expect(pids.every(alive)).toBe(true);
      run.child.kill(signal);
      await run.ended;
      await until("the end of everything", () => !pids.some(alive) && world.leftovers().length === 0);
      expect(run.child.exitCode).toBe(signal === "SIGKILL" ? null : 0);
    },
  );

  test("stops when npm is terminated, whose shell forwards no signals", async () => {
    const env = { PATH: process.env.PATH ?? "", TMPDIR: world.folder, npm_lifecycle_event: "start" };
    const npm = spawn("sh", ["-c", `${process.execPath} ${playgroundMain}; true`], { env, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    npm.stdout.setEncoding("utf8").on("data", (more: string) => {
      output += more;
    });
    await until("the playground", () => pidsIn(output).length >= 3);
    const pids = [...pidsIn(output), ...descendants(npm.pid ?? 0)];
    npm.kill("SIGTERM");
    await until("the end of everything", () => !pids.some(alive) && world.leftovers().length === 0);
  });

  test("stops while it is starting, and during the demo", async () => {
    for (const line of ["", "2. Create the claim"]) {
      const run = world.start(["--demo"]);
      if (line) await until(line, () => run.output().includes(line));
      else await until("the temporary folder", () => world.leftovers().length > 0);
      run.child.kill("SIGINT");
      await run.ended;
      expect(run.child.exitCode).toBe(130);
      await until("the end of everything", () => world.leftovers().length === 0);
    }
  });
});
