import { describe, expect, test } from "bun:test";
import { gate } from "../gates/feature-gates.ts";
import { flagsTable, helpText } from "./help.ts";
import { readCommandLine } from "./read-command-line.ts";
import { allInOne, attacher, individual, livenessprobe, provisioner, resizer, validator } from "./testing/components.ts";

const help = (...argv: string[]) => {
  const commandLine = readCommandLine(allInOne, argv);
  return commandLine.asks === "help" ? commandLine.text : "";
};

describe("--help", () => {
  test("shows generic flags first, then a section for each controller with its own defaults", () => {
    const text = helpText(allInOne);
    const places = [
      "Usage: csi-sidecars",
      "\n  --controllers list (default *)",
      "\n  --timeout duration\n",
      "\nattacher:\n",
      "\nprovisioner:\n",
    ];
    const found = places.map((part) => text.indexOf(part));
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(found).not.toContain(-1);
    expect(text).toContain(
      "Defaults: attacher 15s, provisioner 10s, resizer 10s, snapshotter 1m0s, health-monitor 15s, node-driver-registrar 1s.",
    );
    expect(text).toContain("  --provisioner-worker-threads uint (default 100)\n        Workers.\n");
    expect(text).not.toContain("logtostderr");
    expect(text).toContain("  --livenessprobe-health-port string (default 9808)\n        Port. Deprecated: use --http-endpoint.");
  });

  test("explains the command line it ends", () => {
    const text = help("--controllers=attacher,resizer", "--timeout=30s", "--help");
    expect(text).toContain("attacher (enabled):\n  --attacher-timeout duration (30s, set by --timeout)");
    expect(text).toContain("provisioner (not enabled):\n  --provisioner-timeout duration (default 10s)");
    expect(text).toContain("  --controllers list (attacher,resizer, set by --controllers)");
  });

  test.each([
    ["a value that cannot be parsed", "--timeout=x"],
    ["an unknown flag", "--nonsense"],
    ["an unknown controller", "--controllers=nonsense"],
  ])("is given in spite of %s", (_, flag) => {
    expect(help(flag, "--help")).toStartWith("Usage: csi-sidecars [flags]");
  });

  test("lists the commands of a program that has any", () => {
    const text = helpText({ ...allInOne, commands: { check: "Look around.", audit: "Compare." } });
    expect(text).toStartWith(
      "Usage: csi-sidecars [flags]\n\nCommands (csi-sidecars <command> --help explains one):\n  check  Look around.\n  audit  Compare.\n\nProgram:",
    );
    expect(helpText(allInOne)).not.toContain("Commands");
    expect(helpText({ ...allInOne, about: "What it is." })).toStartWith("Usage: csi-sidecars [flags]\n\nWhat it is.\n\n");
  });

  test("of an individual program shows bare names and only upstream's flags", () => {
    const text = helpText(individual(resizer, "csi-resizer"));
    expect(text).toContain("Flags of csi-resizer:\n  --timeout duration (default 10s)");
    expect(text).toContain("  --workers int (default 10)");
    expect(text).not.toMatch(/--resizer-|--controllers|--loss-policy|For every controller/);
  });
});

test("lists the feature gates of programs that have them, with this program's defaults", () => {
  const topology = { ...provisioner, gates: { Topology: gate(true, "GA", "Use topology.") } };
  expect(helpText(individual(topology, "csi-provisioner"))).toContain("  Topology (GA, default true)\n        Use topology.");
  expect(helpText(individual(topology, "csi-provisioner"))).toContain("ReleaseLeaderElectionOnExit (alpha, default false)");
  expect(helpText(allInOne)).toContain("ReleaseLeaderElectionOnExit (alpha, default true)");
  expect(helpText(individual(livenessprobe, "livenessprobe"))).not.toContain("ReleaseLeaderElectionOnExit");
});

test("a component's flags as a table for documents", () => {
  const table = flagsTable(attacher).split("\n");
  expect(table[0]).toBe("| In csi-sidecars | On its own | Also | Type | Default | Meaning |");
  expect(table).toContain("| `--attacher-timeout` | `--timeout` |  | duration | `15s` | Limit of a call. Follows `--timeout`. |");
  expect(table).toContain(
    "| `--attacher-worker-threads` | `--worker-threads` | `--attacher-worker-thread` | uint | `10` | Workers. Follows `--worker-threads`. |",
  );
  expect(flagsTable(validator)).toContain("| `--volume-data-source-validator-kube-api-qps` | – |  | float | `20`, on its own always `5` |");
  expect(flagsTable(attacher)).toContain("| `--attacher-kube-api-burst` | `--kube-api-burst` |  | int | `40`, on its own `10` |");
  expect(flagsTable(validator)).not.toContain("logtostderr");
});
