import { describe, expect, test } from "bun:test";
import { flagTable } from "./flag-table.ts";
import { helpText, readFlags } from "./read-flags.ts";

const read = (...argv: string[]) => readFlags(argv, {});

describe("a command line", () => {
  test.each<[string[], object]>([
    [["--nodeid=n"], { nodeId: "n" }],
    [["-nodeid", "n"], { nodeId: "n" }],
    [["--enable-attach"], { attach: true }],
    [["--enable-attach=false"], { attach: false }],
    [["-enable-topology=F"], { topology: false }],
    [["--disable-node-expansion"], { nodeExpansion: false }],
    [["--enable-volume-expansion=false", "--node-expand-required"], { expansion: true }],
    [["--attach-limit=-1"], { attachLimit: -1n }],
    [["--max-volume-size", "1099511627776"], { maxVolumeSize: 1n << 40n }],
    [["--capacity=fast=1Gi", "--capacity", "slow=1k", "--capacity=fast=2Gi"], { capacity: { fast: 2n << 30n, slow: 1000n } }],
    [["--accepted-mutable-parameter-names=a, b", "--accepted-mutable-parameter-names=c"], { acceptedMutableParameters: ["a", "b", "c"] }],
    [["--nodes=a,b"], { otherNodes: ["a", "b"] }],
    [["--zones=a=x,b=y", "--zones=c=x"], { zones: { a: "x", b: "y", c: "x" } }],
    [["--mount-mode=none"], { mountMode: "none" }],
    [["--publish-context=a=1", "--publish-context=b=x=y"], { publishContext: { a: "1", b: "x=y" } }],
    [
      ["--disable-get-volume", "--disable-list-volumes", "--disable-volume-condition"],
      { getVolume: false, listVolumes: false, volumeCondition: false },
    ],
    [["--volume-health", "--snapshot-topology"], { volumeHealth: true, snapshotTopology: true }],
    [["--logtostderr", "--stderrthreshold=2", "--automaxprocs", "--vmodule", "x=2"], {}],
  ])("%p", (argv, expected) => {
    expect(read(...argv).settings).toEqual(expected);
  });

  test.each<[string[], string]>([
    [["--nodid=n"], "flag provided but not defined: -nodid; see --help"],
    [["--nodeid"], "flag needs an argument: -nodeid"],
    [["--enable-attach", "false"], 'unexpected argument "false"; a boolean takes its value after an equals sign'],
    [["--enable-attach=maybe"], 'invalid value "maybe" for flag -enable-attach: expected true or false'],
    [["--capacity=fast"], 'invalid value "fast" for flag -capacity: must be of format <type>=<size>'],
    [["--capacity=fast=big"], 'invalid value "fast=big" for flag -capacity: "big" is no quantity'],
    [["--zones=a"], 'invalid value "a" for flag -zones: must be of format <node>=<zone>,...'],
    [["--attach-limit=x"], 'invalid value "x" for flag -attach-limit: expected an integer'],
    [["--attach-limit=-2"], 'invalid value "-2" for flag -attach-limit: expected an integer of 64 bits that is not below -1'],
    [["--max-volume-size=-1"], "expected an integer of 64 bits that is not below 0"],
    [["--max-volume-size=9223372036854775808"], "expected an integer of 64 bits that is not below 0"],
    [["--constructor=1"], "flag provided but not defined: -constructor; see --help"],
    [["--", "x"], 'unexpected argument "--"'],
    [
      ["--snapshot-metadata-block-type=X"],
      'invalid value "X" for flag -snapshot-metadata-block-type: use one of FIXED_LENGTH, VARIABLE_LENGTH',
    ],
  ])("%p is a mistake", (argv, expected) => {
    expect(() => read(...argv)).toThrow(expected);
  });

  test("the endpoint comes from the environment unless it is given", () => {
    const env = { CSI_ENDPOINT: "unix:///env.sock" };
    expect(readFlags([], env).settings.endpoint).toBe("unix:///env.sock");
    expect(readFlags(["--endpoint=/flag.sock"], env).settings.endpoint).toBe("/flag.sock");
  });

  test("has every flag of the Go driver, and help for each", () => {
    const go =
      "endpoint drivername statedir nodeid ephemeral maxvolumespernode attach-limit capacity enable-attach check-volume-lifecycle max-volume-size max-volume-size-node enable-topology enable-volume-expansion node-expand-required disable-controller-expansion disable-node-expansion enable-controller-modify-volume accepted-mutable-parameter-names enable-snapshot-metadata snapshot-metadata-block-type enable-list-snapshots proxy-endpoint version automaxprocs v logtostderr stderrthreshold";
    expect(go.split(" ").filter((name) => !(name in flagTable))).toEqual([]);
    expect(helpText("hostpathplugin")).toContain("--statedir\n        directory for volumes");
  });
});
