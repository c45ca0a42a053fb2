import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { translateCommand } from "@csi-sidecars/diagnose/translate";
import { isAlreadyExists, Namespace, resource, strategicMergePatch } from "@csi-sidecars/kube";
import { startCluster } from "@csi-sidecars/testcluster";
import { parseAllDocuments } from "yaml";
import { allInOne, containersIn, deployment, sidecar, translate } from "./testing/translate.ts";

const root = join(import.meta.dirname, "../../..");
const before = (driver: string) => readFileSync(join(root, "deploy/drivers", driver, "before.yaml"), "utf8");
const drivers = ["aws-ebs", "nfs"];
const objects = (yaml: string) => parseAllDocuments(yaml, { merge: true }).map((document) => document.toJS());

const odd = `# A chart's output.
apiVersion: apps/v1   # old clusters have extensions
kind: Deployment
metadata: {name: odd,   namespace: "storage"}
spec:
  template:
    spec:
      containers:
      # the driver
      - name: driver
        image: 'driver:v1'
      # attaches
      - name: csi-attacher
        image: x/csi-attacher:v4.12.0
        args:
        - "--csi-address=/csi/csi.sock"   # the socket

      # expands
      - image: x/csi-resizer:v2.2.1
        name: csi-resizer
        command: [sh, -c, exec csi-resizer]
      - {name: last, image: other:v1}
      volumes:
      - name: socket
        emptyDir: {}
# the end
`;

test("only the lines of the sidecars change; comments before them stay, and the style of lists", () => {
  const { stdout } = translate(odd.replace("- {name: last, image: other:v1}", "- name: last\n        image: other:v1"));
  expect(stdout).toBe(`# A chart's output.
apiVersion: apps/v1   # old clusters have extensions
kind: Deployment
metadata: {name: odd,   namespace: "storage"}
spec:
  template:
    spec:
      containers:
      # the driver
      - name: driver
        image: 'driver:v1'
      # attaches
      - name: csi-sidecars
        image: registry.example.com/csi-sidecars:v1.0.0
        args:
        - --controllers=attacher
        - --csi-address=/csi/csi.sock # the socket
        resources:
          requests:
            cpu: 10m
            memory: 128Mi

      # expands
      - image: x/csi-resizer:v2.2.1
        name: csi-resizer
        command: [sh, -c, exec csi-resizer]
      - name: last
        image: other:v1
      volumes:
      - name: socket
        emptyDir: {}
# the end
`);
});

test("empty lines go with the containers behind them", () => {
  const spaced = deployment([sidecar("csi-attacher"), sidecar("csi-resizer"), sidecar("csi-provisioner"), { name: "last", image: "x" }])
    .replaceAll(/^ +- name: (csi-|last)/gm, "\n\n        # sidecar\n$&")
    .replace("containers:\n\n", "containers:\n");
  const { stdout } = translate(spaced);
  expect(stdout.match(/^$/gm)?.length).toBe(spaced.match(/^$/gm)!.length - 4);
  expect(stdout).toContain("\n\n\n        # sidecar\n        - name: last");
});

test("Windows line ends stay", () => {
  const text = deployment([sidecar("csi-attacher"), sidecar("csi-resizer")]).replaceAll("\n", "\r\n");
  expect(translate(text).stdout.replaceAll("\r\n", "")).not.toContain("\n");
});

test("lists in braces, JSON, and the items of a List are translated too", () => {
  const { exitCode, stdout } = translate(odd);
  expect([exitCode, containersIn(stdout).map(({ name }) => name)]).toEqual([0, ["driver", "csi-sidecars", "csi-resizer", "last"]]);
  const [object] = objects(deployment([sidecar("csi-attacher"), sidecar("csi-resizer")]));
  const list = { apiVersion: "v1", kind: "List", items: [object, { ...object, kind: "DaemonSet" }] };
  const json = JSON.parse(translate(JSON.stringify(list)).stdout);
  expect(json.items.map((item: typeof object) => item.spec.template.spec.containers.map(({ name }: { name: string }) => name))).toEqual([
    ["csi-sidecars"],
    ["csi-sidecars"],
  ]);
});

test("quoted texts go on where kubectl lets them, left of their key", () => {
  const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  one:
    description: 'It is somebody''s
    object: a'
    other: "two
   lines"
`;
  const driver = deployment([{ name: "driver", image: "d:v1", command: ["words"] }, sidecar("csi-attacher")]).replace(
    /command:\n +- words/,
    `command: ["/bin/sh", "-c", "rm /one
            /two"]`,
  );
  const { exitCode, stdout } = translate(`${definition}---\n${driver}`);
  expect([exitCode, stdout.startsWith(definition), stdout.includes("--controllers=attacher")]).toEqual([0, true, true]);
});

test("what an anchor in a container that is replaced stands for is written where aliases refer to it", () => {
  const text = deployment([sidecar("csi-attacher"), sidecar("csi-resizer"), { name: "driver", image: "d:v1" }])
    .replace("- name: csi-attacher", "- &attacher\n          name: csi-attacher")
    .replace("args:\n", "args: &words\n")
    .replace("- name: csi-resizer", "- <<: *attacher\n          name: csi-resizer")
    .replace("image: d:v1", "image: d:v1\n          args: *words");
  const { exitCode, stdout } = translate(text);
  expect([exitCode, stdout]).toEqual([0, expect.not.stringMatching(/[&*](words|attacher)/)]);
  const [container, driver, ...rest] = containersIn(stdout);
  expect(container?.args).toEqual(["--controllers=attacher,resizer", "--csi-address=/csi/csi.sock"]);
  expect([driver, rest]).toEqual([{ name: "driver", image: "d:v1", args: ["--csi-address=/csi/csi.sock"] }, []]);
});

test("an alias in what comes along from a container is written out", () => {
  const text = deployment([sidecar("csi-attacher", [], { env: [{ name: "A", value: "x" }, { name: "B" }] }), { name: "d", image: "d" }])
    .replace("metadata:\n  name: driver", "metadata: &where\n  name: driver")
    .replace("- name: B", "- name: B\n              valueFrom: {fieldRef: *where}");
  const { exitCode, stdout } = translate(text);
  expect(exitCode).toBe(0);
  expect(containersIn(stdout)[0]?.env).toContainEqual({ name: "B", valueFrom: { fieldRef: { name: "driver", namespace: "storage" } } });
});

describe.each(drivers)("the manifests of %s", (driver) => {
  test("are the same everywhere else, and translated once", () => {
    const { stdout } = translate(before(driver));
    const others = (yaml: string) =>
      objects(yaml).map((object) => {
        const pod = object.spec?.template?.spec;
        if (pod)
          pod.containers = pod.containers.filter(({ image }: { image: string }) => !/csi-components|sig-storage|csi-sidecars/.test(image));
        return object;
      });
    expect(others(stdout)).toEqual(others(before(driver)));
    const again = translate(stdout);
    expect([again.exitCode, again.stdout]).toEqual([3, stdout]);
    expect(translate(before(driver)).stdout).toBe(stdout);
  });

  test("-o diff gives the same text when it is applied", () => {
    const folder = mkdtempSync(join(tmpdir(), "translate-diff-"));
    try {
      writeFileSync(join(folder, "0.yaml"), before(driver));
      const applied = spawnSync("git", ["apply", "--unsafe-paths", "-"], {
        cwd: folder,
        input: translate(before(driver), "-o", "diff").stdout,
        encoding: "utf8",
      });
      expect([applied.status, applied.stderr]).toEqual([0, ""]);
      expect(readFileSync(join(folder, "0.yaml"), "utf8")).toBe(translate(before(driver)).stdout);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("-o patch gives the same workloads when the API server applies it", async () => {
    await using cluster = await startCluster();
    await cluster.admin.create(Namespace, { metadata: { name: "kube-system" } }).catch((error) => {
      if (!isAlreadyExists(error)) throw error;
    });
    const patches = objects(translate(before(driver), "-o", "patch").stdout);
    expect(patches.length).toBe(2);
    const translated = objects(translate(before(driver)).stdout);
    for (const patch of patches) {
      const find = (all: readonly (typeof patch)[]) =>
        all.find((object) => object.kind === patch.kind && object.metadata.name === patch.metadata.name);
      const workloads = resource("apps/v1", `${patch.kind.toLowerCase()}s`, patch.kind, { namespaced: true });
      await cluster.admin.create(workloads, find(objects(before(driver))));
      const patched = await cluster.admin.patch(workloads, patch.metadata, strategicMergePatch(patch));
      await cluster.admin.delete(workloads, patch.metadata);
      const wanted = await cluster.admin.create(workloads, find(translated), { dryRun: true });
      const byName = (object: object) =>
        (object as typeof patch).spec.template.spec.containers.toSorted((a: { name: string }, b: { name: string }) =>
          a.name.localeCompare(b.name),
        );
      expect(byName(patched)).toEqual(byName(wanted));
    }
  });
});

test("the manifests in a folder are translated together, as kubectl reads them", () => {
  const folder = mkdtempSync(join(tmpdir(), "translate-"));
  try {
    const call = () => translateCommand([`-f=${folder}`, "-o=patch"], allInOne);
    expect(call()).toMatchObject({ exitCode: 2, stderr: `${folder} has no .yaml, .yml or .json files\n` });
    for (const [name, text] of [
      ["b.yml", deployment([sidecar("csi-resizer")])],
      ["a.yaml", deployment([sidecar("csi-attacher")])],
      ["README.md", "a: ["],
    ] as const)
      writeFileSync(join(folder, name), text);
    const { exitCode, stdout } = call();
    expect([exitCode, stdout.match(/--controllers=\w+/g)]).toEqual([0, ["--controllers=attacher", "--controllers=resizer"]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("what cannot be translated", () => {
  const call = (...argv: readonly string[]) => translateCommand(argv, allInOne);

  test.each([
    [["-o", "yaml"], "translate needs -f <file>"],
    [["-f", "/does/not/exist.yaml"], "cannot read /does/not/exist.yaml"],
    [["-f", "x", "-o", "xml"], "must be one of yaml, diff, patch"],
    [["-f", "x", "--v=2"], "unknown flag: --v=2"],
    [["-f"], "flag needs an argument"],
  ])("%p: exit code 2", (argv, says) => {
    const { exitCode, stdout, stderr } = call(...argv);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(says);
  });

  test.each([
    ["a: [", "0.yaml: Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 5"],
    ["a: &a {b: [*a]}", "0.yaml: alias *a is part of what it refers to"],
    ["kind: Deployment\nmetadata: {{ .Values.x }}\n", "this is a template: render it first, with helm template"],
  ])("%p: exit code 2", (text, says) => {
    const { exitCode, stdout, stderr } = translate(text);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(says);
  });

  test.each([
    "",
    "---\n",
    "# nothing\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
    "apiVersion: apps/v1\nkind: Deployment\nspec: 3\n",
  ])("%p has nothing to translate: exit code 3, the same text", (text) => {
    const { exitCode, stdout } = translate(text);
    expect([exitCode, stdout]).toEqual([3, text]);
  });

  test("--help has examples", () => {
    const { exitCode, stdout } = call("--help");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("helm template my-driver ./chart | csi-sidecars translate -f - -o diff");
  });
});
