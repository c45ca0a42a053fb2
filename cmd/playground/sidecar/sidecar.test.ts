import { describe, expect, test } from "bun:test";
import { sidecarFlags } from "./sidecar.ts";

describe("the flags for a driver", () => {
  const nothing = {
    ...{ name: "d", version: "1", provisions: false, attaches: false, lists: false, topology: false, reportsCapacity: false },
    ...{ expands: false, expandsOnNodes: false, modifies: false, snapshots: false, groupSnapshots: false, reportsConditions: false },
    ...{ stagesOnNodes: false, reportsUsage: false, singleNodeMultiWriter: false },
  };
  const all = {
    ...nothing,
    provisions: true,
    attaches: true,
    lists: true,
    topology: true,
    reportsCapacity: true,
    expands: true,
    snapshots: true,
  };
  const healthFlags = ["--health-monitor-list-volumes-interval=2s", "--health-monitor-monitor-interval=2s"];
  test.each([
    ["that can do nothing", nothing, ["--controllers=livenessprobe", "--leader-election"]],
    ["that only attaches", { ...nothing, attaches: true }, ["--controllers=attacher,livenessprobe", "--leader-election"]],
    [
      "without topology",
      { ...all, topology: false },
      ["--controllers=attacher,provisioner,resizer,snapshotter,volume-data-source-validator,livenessprobe", "--leader-election"],
    ],
    ["that only modifies", { ...nothing, modifies: true }, ["--controllers=resizer,livenessprobe", "--leader-election"]],
    [
      "that only reports the conditions of volumes",
      { ...nothing, reportsConditions: true },
      ["--controllers=health-monitor,livenessprobe", "--leader-election", ...healthFlags],
    ],
    [
      "that can do everything",
      { ...all, reportsConditions: true },
      [
        "--controllers=attacher,provisioner,resizer,snapshotter,health-monitor,volume-data-source-validator,livenessprobe",
        "--leader-election",
        "--enable-capacity",
        "--capacity-ownerref-level=-1",
        ...healthFlags,
      ],
    ],
  ])("%s", (_, info, flags) => {
    expect(sidecarFlags(info, "2s")).toEqual(flags);
  });
});
