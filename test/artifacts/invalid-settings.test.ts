import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./testing/run.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "refusals-"));
  writeFileSync(join(folder, "broken"), "{{{");
  mkdirSync(join(folder, "directory"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Where an exception came up is no help to a user. */
function expectNoTrace(text: string): void {
  expect(text).not.toMatch(/\n\s+at |\$bunfs|node:internal|Bun v\d/);
}

const usage = "Run csi-sidecars --help for usage.\n";
test.each([
  [["--no-such-flag"], "unknown flag: --no-such-flag\n"],
  [["--timeout=soon"], 'invalid value "soon" for flag --timeout: invalid duration "soon": write it as 300ms, 15s or 1m30s\n'],
  [["--leader-election=maybe"], 'invalid value "maybe" for flag --leader-election'],
  [["--loss-policy=shrug"], 'invalid value "shrug" for flag --loss-policy'],
  [["attacher"], 'unexpected argument "attacher" (did you mean --controllers=attacher?)\n'],
  [["chekc"], 'unexpected argument "chekc" (did you mean the command check?)\n'],
])("an invalid command line ends with code 2: %p", (args, message) => {
  const { exitCode, stdout, stderr } = run(args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toStartWith(message);
  expect(stderr).toEndWith(usage);
  expectNoTrace(stderr);
});

test.each([
  [["--controllers=attacker,nobody"], ['\\"attacker\\" is not in the list of known controllers', '\\"nobody\\" is not in the list']],
  [["--controllers=-attacher"], ["no controllers are enabled"]],
  [
    ["--controllers=attacher"],
    [
      '"unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined; outside a pod, name a file with --kubeconfig"',
    ],
  ],
  [["--controllers=attacher", "--kubeconfig=FOLDER/absent"], ["kubeconfig: FOLDER/absent: file not found; check --kubeconfig"]],
  [
    ["--controllers=attacher", "--kubeconfig=FOLDER/directory"],
    ["kubeconfig: FOLDER/directory: ", "--kubeconfig"],
  ],
  [["--controllers=attacher", "--kubeconfig=FOLDER/broken"], ["FOLDER/broken"]],
  [
    [
      "--controllers=attacher",
      "--leader-election",
      ...["lease-duration=1s", "renew-deadline=900ms", "retry-period=300ms"].map((flag) => `--leader-election-${flag}`),
    ],
    ["--leader-election-lease-duration", "leaseDuration must be at least 2s"],
  ],
  [["--controllers=node-driver-registrar"], ["--node-driver-registrar-kubelet-registration-path is a required parameter"]],
])("an invalid setting ends with code 1 and the remedy: %p", (args, messages) => {
  const here = (text: string) => text.replace("FOLDER", folder);
  const { exitCode, stdout, stderr } = run(args.map(here));
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  for (const message of messages) expect(stderr).toContain(here(message));
  expectNoTrace(stderr);
});
