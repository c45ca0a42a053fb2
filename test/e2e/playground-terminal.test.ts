import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { type Playgrounds, playgroundMain, playgrounds } from "./testing/playground.ts";
import { until } from "./testing/until.ts";

let world: Playgrounds;
beforeAll(() => {
  world = playgrounds();
});
interface TerminalRun {
  readonly child: ChildProcess;
  output(): string;
  type(keys: string): void;
  readonly ended: Promise<unknown>;
}
const started: TerminalRun[] = [];
afterAll(async () => {
  // Those that a failed test left running.
  for (const { child, type, ended } of started) {
    if (child.exitCode !== null) continue;
    type(ctrlC);
    await ended;
  }
  await world[Symbol.asyncDispose]();
});

const leaveScreen = "\x1b[?25h\x1b[?1049l";
const ctrlC = "\x03";

/** The playground on a terminal of its own; what is typed goes to its keyboard. */
function onTerminal(env: Readonly<Record<string, string>> = {}, [columns, rows] = [120, 60], flags = ""): TerminalRun {
  const command = `stty rows ${rows} cols ${columns}; exec ${process.execPath} ${playgroundMain} ${flags}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    env: { PATH: process.env.PATH ?? "", TMPDIR: world.folder, TERM: "xterm", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (more: string) => {
    text += more;
  });
  const run = { child, output: () => text, type: (keys: string) => void child.stdin.write(keys), ended: once(child, "close") };
  started.push(run);
  return run;
}

const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

describe.skipIf(!hasScript)("on a terminal the playground", () => {
  test.each([
    ["q", "q"],
    ["Ctrl-C", ctrlC],
  ])("shows volumes come and go by keys, and gives the terminal back after %s", async (_, quit) => {
    const { child, output, type, ended } = onTerminal();
    // The line is folded.
    const plain = () => Bun.stripANSI(output()).replace(/\s+/g, " ");
    const keys = "keys c create a claim and a pod; g grow it; m modify it; b break or heal it; t take a snapshot; r restore it";
    const faults = "faults w driver slow; f driver refusing; x driver dead; a API server cut off; the same key ends it";
    await until("the keys", () => [keys, faults].every((part) => plain().includes(part)));
    type("c");
    await until("the pod", () => /default\/data-\w+ \S*Running\S* +\w+ +node-\d +mounted/.test(plain()));
    await until("the attachment", () => output().includes("\x1b[32mAttached") && output().includes(", 1 volume\x1b"));
    type("g");
    await until("the larger claim", () => / 2Gi +pvc-/.test(output()));
    type("m");
    await until("the other attributes", () => / 2Gi +gold +pvc-/.test(output()));
    type("b");
    await until("what is wrong with the volume", () => output().includes("\x1b[31mAbnormal\x1b[0m: the disk is failing"));
    type("b");
    await until("the recovery", () => output().lastIndexOf("VolumeConditionNormal") > output().lastIndexOf("\x1b[31mAbnormal"));
    type("t");
    await until("the snapshot", () => /default\/snapshot-\w+ Ready \w+ 2Gi data-/.test(plain()));
    type("r");
    await until("the restored claim", () => /default\/restored-\w+ Bound /.test(plain()));
    type("p");
    await until("the group snapshot", () => /default\/group-\w+ Ready \w+ data-\w+, restored-/.test(plain()));
    type("s");
    await until("the restart", () => output().includes("1 restart,"));
    type("d");
    await until("what is deleted", () => plain().includes("deleted what the keys have created: 1 group snapshot, "));
    await until("the end of the volume", () => output().lastIndexOf(", 0 volumes") > output().lastIndexOf(", 2 volumes"));
    type(quit);
    await ended;
    expect(child.exitCode).toBe(0);
    expect(output()).toEndWith(leaveScreen);
    expect(world.leftovers()).toEqual([]);
  });

  test("shows the commands to try behind a key where there are few rows", async () => {
    const { output, type, ended } = onTerminal({}, [80, 24]);
    const frame = () => output().slice(output().lastIndexOf("\x1b[H"));
    const summary = "keys c g m b t r p d; faults w f x a; kill s n v; ? help; q quit";
    await until("the keys", () => output().includes(summary));
    expect(output()).not.toContain("csi-sidecars playground: ready");
    type("?");
    await until("the introduction", () => output().includes("csi-sidecars playground: ready"));
    const [, pages = "1"] = /\? more \(1 of (\d)\)/.exec(output()) ?? [];
    const before = output().length;
    type("?".repeat(Number(pages)));
    await until("the view again", () => output().slice(before).includes(summary));
    type("?");
    await until("the help again", () => frame().includes("csi-sidecars playground: ready"));
    type("c");
    await until("what a key has done", () => frame().includes(summary) && frame().includes("created the claim and the pod"));
    type("q");
    await ended;
  });

  test("lets things go wrong by keys and well again, without color", async () => {
    const { output, type, ended } = onTerminal({ NO_COLOR: "1" }, [80, 24]);
    const frame = () => output().slice(output().lastIndexOf("\x1b[H"));
    await until("the view", () => frame().includes(", 0 volumes"));
    for (const [key, fault] of [
      ["w", "driver slow: each call takes 5 s"],
      ["f", "driver refusing: each call is answered with an error"],
      ["x", "driver dead: it does not run"],
      ["a", "API server cut off: the programs cannot connect"],
    ] as const) {
      type(key);
      await until(fault, () => frame().includes(`FAULT ${fault}`));
      if (key === "x") await until("the death of the driver", () => frame().includes("does not answer"));
      type(key);
      await until(`the end of ${fault}`, () => !frame().includes("FAULT"));
    }
    await until("the driver again", () => frame().includes(", 0 volumes"));
    expect(output()).toContain("\x1b[?1049h");
    expect(output()).not.toContain("\x1b[0m");
    type("q");
    await ended;
  });

  test.each<[Readonly<Record<string, string>>, string]>([
    [{}, "--lines"],
    [{ TERM: "dumb" }, ""],
  ])("writes plain lines with %p %p, and reads keys", async (env, flags) => {
    const { child, output, type, ended } = onTerminal(env, [80, 24], flags);
    await until("both processes", () => output().includes("driver runs as process"));
    type("f");
    await until("the fault", () => output().includes(" fault driver refusing: each call is answered with an error"));
    type("f");
    await until("its end", () => output().includes(" fault over: driver refusing"));
    type("?");
    await until("the help", () => output().split("  faults    w driver slow; f driver refusing").length > 2);
    type(ctrlC);
    await ended;
    expect(child.exitCode).toBe(0);
    expect(output()).not.toContain("\x1b");
    expect(world.leftovers()).toEqual([]);
  });
});
