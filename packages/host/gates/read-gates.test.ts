import { describe, expect, test } from "bun:test";
import { parseGateSettings } from "../flags/parse-values.ts";
import { allInOneGates, type GateTable, gate, individualGates, joinGates } from "./feature-gates.ts";
import { readGates } from "./read-gates.ts";

const provisioner: GateTable = {
  Topology: gate(true, "GA", "Topology."),
  CrossNamespaceVolumeDataSource: gate(false, "alpha", "Cross-namespace."),
  VolumeAttributesClass: gate(true, "GA", "Classes."),
};
const resizer: GateTable = {
  VolumeAttributesClass: gate(true, "GA", "Classes."),
  AnnotateFsResize: gate(true, "beta", "Annotate."),
};
const known = joinGates([allInOneGates, provisioner, resizer]);

function request(text: string): ReadonlyMap<string, boolean> {
  const result = parseGateSettings(text);
  if (!result.ok) throw new Error(result.problem);
  return result.value;
}

function read(text: string, table: GateTable = known) {
  const result = readGates(table, request(text));
  if (!result.ok) throw new Error(result.problems.join("\n"));
  return result;
}

describe("feature gates", () => {
  test.each([
    ["", "Topology", true],
    ["", "CrossNamespaceVolumeDataSource", false],
    ["CrossNamespaceVolumeDataSource=true", "CrossNamespaceVolumeDataSource", true],
    ["Topology=false", "Topology", false],
    ["AllAlpha=true", "CrossNamespaceVolumeDataSource", true],
    ["AllAlpha=true", "Topology", true],
    ["AllAlpha=false", "ReleaseLeaderElectionOnExit", false],
    ["AllAlpha=true,CrossNamespaceVolumeDataSource=false", "CrossNamespaceVolumeDataSource", false],
    ["CrossNamespaceVolumeDataSource=false,AllAlpha=true", "CrossNamespaceVolumeDataSource", false],
    ["AllBeta=false", "AnnotateFsResize", false],
    ["AllBeta=false", "VolumeAttributesClass", true],
  ])("with %p %s is %p", (text, name, on) => {
    expect(read(text).gates.enabled(name)).toBe(on);
  });

  test("the all-in-one releases its lease by default, an individual program does not", () => {
    expect(read("", allInOneGates).gates.enabled("ReleaseLeaderElectionOnExit")).toBe(true);
    expect(read("", individualGates).gates.enabled("ReleaseLeaderElectionOnExit")).toBe(false);
    expect(read("AllAlpha=true", individualGates).gates.enabled("ReleaseLeaderElectionOnExit")).toBe(true);
  });

  test("only a gate that was named counts as the user's choice", () => {
    const { gates } = read("AllAlpha=true,Topology=true");
    expect([gates.explicit("Topology"), gates.explicit("CrossNamespaceVolumeDataSource")]).toEqual([true, false]);
  });

  test("all unknown names are reported, with what may have been meant; names are case-sensitive", () => {
    expect(readGates(known, request("topology=true,APIServerIdentity=true"))).toEqual({
      ok: false,
      problems: [
        "--feature-gates: unrecognized feature gate: topology (did you mean Topology?)",
        "--feature-gates: unrecognized feature gate: APIServerIdentity",
      ],
    });
  });

  test("setting a GA gate is worth a warning", () => {
    expect(read("Topology=true,AnnotateFsResize=true").warnings).toEqual([
      {
        message: "Warning: setting GA feature gate. It will be removed in a future release.",
        fields: { feature: "Topology", value: true },
      },
    ]);
  });

  test("asking for a gate that is not declared is a mistake of the program", () => {
    expect(() => read("").gates.enabled("Nonsense")).toThrow("feature gate Nonsense is not declared");
  });

  test("two declarations of one gate must agree", () => {
    expect(() => joinGates([provisioner, { Topology: gate(false, "GA", "Topology.") }])).toThrow("declared in two ways");
  });
});
