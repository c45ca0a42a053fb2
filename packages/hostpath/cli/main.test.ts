import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outcome } from "../testing/driver-world.ts";
import { patient, pluginFile, startPlugin } from "../testing/plugin-process.ts";
import { named } from "../testing/requests.ts";

const startProcess = (...flags: string[]) => startPlugin({ flags });

describe("the program", () => {
  test.each(["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const)("ends on %s with 0 and takes its socket away", async (signal) => {
    await using plugin = await startProcess("--nodeid=n", "--faults=/dev/null", "-v=5");
    await plugin.client.identity.probe({}, patient);
    plugin.child.kill(signal);
    expect(await plugin.child.exited).toBe(0);
    expect(existsSync(plugin.socket)).toBe(false);
    expect(await new Response(plugin.child.stderr).text()).toContain(
      'gRPCCall: {"Method":"/csi.v1.Identity/Probe","Request":{},"Response":{},"Error":"","FullError":null}\n',
    );
  });

  test("needs no place for temporary files but its state directory", async () => {
    const flags = ["--nodeid=n", "--mount-mode=auto"];
    await using plugin = await startPlugin({ flags, env: { TMPDIR: "/proc/nowhere", BUN_TMPDIR: "/tmp" } });
    await plugin.client.identity.probe({}, patient);
    expect(await readdir(join(plugin.stateDir, ".pending"))).toEqual([]);
  });

  test("a rule that crashes it ends the process with its code", async () => {
    await using plugin = await startProcess("--nodeid=n", `--faults=${join(tmpdir(), "no-such-file")}`);
    expect(await plugin.child.exited).toBe(1);
    const file = join(plugin.folder, "faults.yaml");
    await writeFile(file, "- {method: CreateVolume, phase: after, times: 1, action: {crash: 7}}");
    await using crashing = await startProcess("--nodeid=n", `--faults=${file}`);
    await crashing.client.identity.probe({}, patient);
    expect(await outcome(crashing.client.controller.createVolume(named("a")))).toStartWith("Unavailable");
    expect(await crashing.child.exited).toBe(7);
  });

  test.each<[string, string[], number, string]>([
    ["without a node id", [], 1, "hostpathplugin: no node id provided"],
    ["with an unknown flag", ["--nope"], 2, "hostpathplugin: flag provided but not defined: -nope"],
    ["with --version", ["--version"], 0, "hostpathplugin 0.1.0\n"],
    ["with --help", ["--help"], 0, "Usage of hostpathplugin"],
    ["with a kind of blocks that is not there", ["--nodeid=n", "--snapshot-metadata-block-type=X"], 1, "use one of FIXED_LENGTH"],
    ["with a damaged state", ["--nodeid=n", "--statedir=DAMAGED"], 1, "state.json: is malformed"],
    ["with a state directory that is a file", ["--nodeid=n", "--statedir=DAMAGED/state.json"], 1, "state.json cannot be used: EEXIST"],
    ["with a state directory that cannot be made", ["--nodeid=n", "--statedir=/proc/none"], 1, "--statedir /proc/none cannot be used"],
    ["with rules that are not there", ["--nodeid=n", "--faults=/no/such/rules", "--statedir=DAMAGED/new"], 1, "--faults ENOENT"],
    [
      "with secrets that are not there",
      ["--nodeid=n", "--secrets-required=/no/such/secrets", "--statedir=DAMAGED/new"],
      1,
      "--secrets-required /no/such/secrets: ENOENT",
    ],
    [
      "with a control API for everybody",
      ["--nodeid=n", "--control-endpoint=tcp://:0", "--statedir=DAMAGED/new"],
      1,
      "--control-endpoint tcp://:0: it is a Unix socket only",
    ],
    [
      "with a socket that cannot be made",
      ["--nodeid=n", "--endpoint=/no/such/csi.sock", "--statedir=DAMAGED/new"],
      1,
      "--endpoint /no/such/csi.sock: ",
    ],
  ])("%s", async (_, flags, code, said) => {
    const folder = await mkdtemp(join(tmpdir(), "hostpath-"));
    await writeFile(join(folder, "state.json"), "{");
    const argv = flags.map((flag) => flag.replace("DAMAGED", folder));
    const child = Bun.spawn([process.execPath, pluginFile, `--endpoint=${folder}/csi.sock`, ...argv], { stdout: "pipe", stderr: "pipe" });
    expect(await child.exited).toBe(code);
    expect((await new Response(child.stdout).text()) + (await new Response(child.stderr).text())).toContain(said);
    expect(await readFile(join(folder, "state.json"), "utf8")).toBe("{");
    await rm(folder, { recursive: true });
  });
});
