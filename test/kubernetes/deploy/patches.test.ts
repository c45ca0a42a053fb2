import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { workloadIn } from "../../../tools/generate-deploy/manifests.ts";

interface PodSpec {
  readonly containers: readonly { readonly name: string; readonly volumeMounts?: readonly { readonly name: string }[] }[];
  readonly volumes: readonly { readonly name: string }[];
}

test("the suite tests the limit of volumes, and the driver has one", () => {
  const definition = parseDocument(readFileSync(join(import.meta.dirname, "../suite/hostpath.yaml"), "utf8")).toJS();
  expect(definition.DriverInfo.Capabilities).toMatchObject({ volumeLimits: true });
  const patch = parseDocument(readFileSync(join(import.meta.dirname, "ours/node.yaml"), "utf8")).toJS();
  const driver = patch.spec.template.spec.containers.find(({ name }: { name: string }) => name === "driver");
  expect(driver.args).toContainEqual(expect.stringMatching(/^--maxvolumespernode=[1-9]/));
});

// A patch whose name is not in the manifest that it patches adds something instead of changing it.
test.each(["controller.yaml", "node.yaml"])("ours/%s changes what the example has", (file) => {
  const example = workloadIn(file);
  const patch = parseDocument(readFileSync(join(import.meta.dirname, "ours", file), "utf8")).toJS();
  expect([patch.kind, patch.metadata.name]).toEqual([example.kind, example.metadata.name]);
  const [before, after] = [example.spec.template.spec as unknown as PodSpec, patch.spec.template.spec as PodSpec];
  const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);
  expect(names(before.containers)).toEqual(expect.arrayContaining(names(after.containers)));
  const added = after.containers.flatMap(({ volumeMounts = [] }) => names(volumeMounts));
  expect([...names(before.volumes), ...added]).toEqual(expect.arrayContaining(names(after.volumes)));
});
