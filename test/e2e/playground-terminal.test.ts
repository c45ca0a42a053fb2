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
function onTerminal(env: Readonly<Record<string, string>> = {}, rows = 60): TerminalRun {
  const child = spawn("script", ["-qec", `stty rows ${rows} cols 120; exec ${process.execPath} ${playgroundMain}`, "/dev/null"], {
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
    const keys = "c claim and pod; g grow it; m modify it; b break or heal it; t snapshot; r restore; p group snapshot; d delete all";
    const kills = "s kill sidecar; n kill controller; v kill driver; q quit";
    await until("the keys", () => plain().includes(`keys: ${keys}; ${kills}`));
    type("c");
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
    await until("the end of the volume", () => output().lastIndexOf(", 0 volumes") > output().lastIndexOf(", 2 volumes"));
    type(quit);
    await ended;
    expect(child.exitCode).toBe(0);
    expect(output()).toEndWith(leaveScreen);
    expect(world.leftovers()).toEqual([]);
  });

  test("shows the commands to try behind a key where there are few rows", async () => {
    const { output, type, ended } = onTerminal({}, 24);
    await until("the keys", () => Bun.stripANSI(output()).replace(/\s+/g, " ").includes("q quit; h help"));
    expect(output()).not.toContain("csi-sidecars playground: ready");
    type("h");
    await until("the introduction", () => output().includes("csi-sidecars playground: ready"));
    const [, pages = "1"] = /h more \(1 of (\d)\)/.exec(output()) ?? [];
    const before = output().length;
    type("h".repeat(Number(pages)));
    await until("the view again", () => output().slice(before).includes("h help"));
    type("q");
    await ended;
  });

  test.each<Readonly<Record<string, string>>>([{ NO_COLOR: "1" }, { TERM: "dumb" }])("writes plain lines with %p", async (env) => {
    const { child, output, type, ended } = onTerminal(env);
    await until("both processes", () => output().includes("driver runs as process"));
    type(ctrlC);
    await ended;
    expect(child.exitCode).toBe(0);
    expect(output()).not.toContain("\x1b");
    expect(world.leftovers()).toEqual([]);
  });
});
