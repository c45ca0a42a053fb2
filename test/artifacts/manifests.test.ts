import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readCommandLine } from "@csi-sidecars/host";
import { parse } from "yaml";
import { components, separate } from "../../cmd/csi-sidecars/components.ts";
import { exampleRoles, manifestFiles, manifestsFolder, sidecarIn, workloadIn } from "../../tools/generate-deploy/manifests.ts";

const workloads = ["controller.yaml", "node.yaml"];
const read = (file: string) => readFileSync(join(manifestsFolder, file), "utf8");

test("rbac.yaml has the roles that the Deployment needs; else run npm run generate:deploy", () => {
  expect(read("rbac.yaml")).toBe(exampleRoles());
});

test("the kustomization applies every file", () => {
  expect(parse(read("kustomization.yaml")).resources.toSorted()).toEqual(manifestFiles().toSorted());
});

test.each(workloads)("the program accepts the arguments in %s without warnings", (file) => {
  const command = readCommandLine({ form: "all-in-one", name: "csi-sidecars", components, separate }, sidecarIn(file).args);
  if (command.asks !== "run") throw new Error(JSON.stringify(command));
  expect({ problems: command.settings.problems, warnings: command.settings.warnings }).toEqual({ problems: [], warnings: [] });
});

test.each(workloads)("%s runs this version with least privileges", (file) => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  const container = sidecarIn(file);
  expect(workloadIn(file).spec.template.spec).toMatchObject({ securityContext: { seccompProfile: { type: "RuntimeDefault" } } });
  expect(container).toMatchObject({
    image: `csi-sidecars:v${version}`,
    livenessProbe: { httpGet: { path: "/livez", port: "http" } },
    readinessProbe: { httpGet: { path: "/readyz", port: "http" } },
    resources: { requests: { memory: expect.any(String) }, limits: { memory: expect.any(String) } },
    securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
  });
  expect(container.args).toContain("--http-endpoint=0.0.0.0:9808");
  expect(container.ports).toEqual([{ name: "http", containerPort: 9808 }]);
});
