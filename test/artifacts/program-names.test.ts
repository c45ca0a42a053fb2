import { expect, test } from "bun:test";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { run } from "./testing/run.ts";

const standalone = components.map((component) => component.standalone);

test("--version prints the program and its version to stdout", () => {
  expect(run(["--version"])).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^csi-sidecars v\d+\.\d+\.\d+\S*\n$/), stderr: "" });
});

test.each(standalone)("%s is the same file, called by its name or with it as the first argument", (name) => {
  const linked = run(["--help"], { program: name });
  expect(linked).toEqual({ exitCode: 0, stdout: expect.stringContaining(`Usage: ${name} [flags]`), stderr: "" });
  expect(run([name, "--help"])).toEqual(linked);
});

test("--help names the sub-commands and the individual programs", () => {
  const { stdout } = run(["--help"]);
  const words = stdout.match(/^Commands .*:\n((?: {2}\S+ +.*\n)+)/m)?.[1]?.match(/^ {2}\S+/gm);
  expect(words?.map((word) => word.trim())).toEqual(["check", "rbac", "why", "audit", ...standalone]);
});

test("the roles of the whole program are those of its controllers", () => {
  const { exitCode, stdout, stderr } = run(["rbac", "--controllers=attacher,livenessprobe", "--namespace=storage"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain("name: csi-sidecars-attacher");
  expect(stdout).toContain("namespace: storage");
});
