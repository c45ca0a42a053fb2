import { expect, test } from "bun:test";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { programs } from "../../tools/build/programs.ts";
import { run } from "./testing/run.ts";

const standalone = components.map((component) => component.standalone);

test.each(programs.map(({ name }) => name))("%s --version prints the program and its version to stdout", (name) => {
  const { exitCode, stdout, stderr } = run(["--version"], { program: name });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(/^\S+ v\d+\.\d+\.\d+\S*\n$/);
  expect(stdout).toStartWith(`${name} `);
});

test.each(standalone)("%s is the same file, called by its name or with it as the first argument", (name) => {
  const linked = run(["--help"], { program: name });
  expect(linked).toEqual({ exitCode: 0, stdout: expect.stringContaining(`Usage: ${name} [flags]`), stderr: "" });
  expect(run([name, "--help"])).toEqual(linked);
});

test("--help names the sub-commands and the individual programs", () => {
  const { stdout } = run(["--help"]);
  const words = stdout.match(/^Commands .*:\n((?: {2}\S+ +.*\n)+)/m)?.[1]?.match(/^ {2}\S+/gm);
  expect(words?.map((word) => word.trim())).toEqual(["check", "rbac", "top", "why", "audit", "translate", "leases", ...standalone]);
});

test("the roles of the whole program are those of its controllers", () => {
  const { exitCode, stdout, stderr } = run(["rbac", "--controllers=attacher,livenessprobe", "--namespace=storage"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain("name: csi-sidecars-attacher");
  expect(stdout).toContain("namespace: storage");
});

test.each([
  ["snapshot-controller", "snapshot-controller"],
  ["snapshot-conversion-webhook", "snapshot-webhook"],
  ["snapshot-validation-webhook", "snapshot-webhook"],
  ["snapshot-webhook", "snapshot-webhook"],
  ["csi-proxy", "csi-proxy"],
])("--controllers=%s is told where it is", (name, where) => {
  const { exitCode, stderr } = run([`--controllers=attacher,${name}`]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`\\"${name}\\" is not a sidecar: run the separate program ${where}`);
});

test("snapshot-controller names its sub-commands, and prints its roles", () => {
  const { stdout } = run(["--help"], { program: "snapshot-controller" });
  expect(stdout).toMatch(/^Commands .*:\n {2}check .*\n {2}rbac .*\n {2}top .*\n\n/m);
  const { exitCode, stdout: roles } = run(["rbac", "--namespace=kube-system"], { program: "snapshot-controller" });
  expect(exitCode).toBe(0);
  expect(roles).toContain("name: snapshot-controller-leader-election\n  namespace: kube-system\n");
  expect(roles).not.toContain('resources: ["nodes"]');
  expect(run(["rbac", "--enable-distributed-snapshotting"], { program: "snapshot-controller" }).stdout).toContain('resources: ["nodes"]');
});
