import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { translateCommand } from "@csi-sidecars/diagnose/translate";
import { readCommandLine, type Settings } from "@csi-sidecars/host";
import { parseAllDocuments } from "yaml";
import { chooseProgram } from "../../../../cmd/csi-sidecars/choose-program.ts";
import { components, separate } from "../../../../cmd/csi-sidecars/components.ts";

export const image = "registry.example.com/csi-sidecars:v1.0.0";
export const allInOne = chooseProgram("csi-sidecars", []).program;

/** What `csi-sidecars translate` answers for these files. */
export function translate(manifests: string | readonly string[], ...flags: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "translate-"));
  try {
    const files = [manifests].flat().map((text, at) => {
      const path = join(folder, `${at}.yaml`);
      writeFileSync(path, text);
      return path;
    });
    const { exitCode, stdout, stderr } = translateCommand(
      [...files.map((path) => `--filename=${path}`), `--image=${image}`, ...flags],
      allInOne,
    );
    const anonymous = (text: string) => text.replaceAll(`${folder}/`, "");
    return { exitCode, stdout: anonymous(stdout), stderr: anonymous(stderr) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface TestContainer {
  readonly name: string;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly [field: string]: unknown;
}

const objectsIn = (yaml: string) => parseAllDocuments(yaml).map((document) => document.toJS());

/** The containers of the first workload in a stream. */
export function containersIn(yaml: string): readonly TestContainer[] {
  return objectsIn(yaml).find((object) => object?.spec?.template)?.spec.template.spec.containers ?? [];
}

export function sidecarIn(yaml: string): TestContainer {
  const container = containersIn(yaml).find(({ name }) => name === "csi-sidecars");
  if (!container) throw new Error(`no container csi-sidecars in\n${yaml}`);
  return container;
}

/** A Deployment with these containers and fields of the pod. */
export function deployment(containers: readonly TestContainer[], pod: object = {}, spec: object = {}): string {
  const labels = { app: "driver" };
  const template = { metadata: { labels }, spec: { serviceAccountName: "driver-sa", ...pod, containers } };
  const object = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "driver", namespace: "storage" },
    spec: { selector: { matchLabels: labels }, ...spec, template },
  };
  return yamlOf(object);
}

/** YAML as people write it. */
export function yamlOf(object: object): string {
  const [document] = parseAllDocuments("{}");
  if (!document) throw new Error("no document");
  document.contents = document.createNode(object, { aliasDuplicateObjects: false }) as never;
  return document.toString();
}

/** A container of a sidecar, as its image is called upstream. */
export function sidecar(name: string, args: readonly string[] = [], more: object = {}): TestContainer {
  return {
    name,
    image: `registry.k8s.io/sig-storage/${name}:v1.2.3`,
    args: ["--csi-address=/csi/csi.sock", ...args],
    volumeMounts: [{ name: "socket", mountPath: "/csi" }],
    ...more,
  };
}

/** What the arguments mean to csi-sidecars; fails where it would not start. */
export function settingsOf(args: readonly string[]): Settings {
  return settled(readCommandLine({ form: "all-in-one", name: "csi-sidecars", components, separate }, args));
}

/** What the arguments mean to the program of one sidecar. */
export function individualSettings(name: string, args: readonly string[]): Settings {
  const component = components.find((each) => each.name === name);
  if (!component) throw new Error(name);
  return settled(readCommandLine({ form: "individual", name: component.standalone, component }, args));
}

function settled(line: ReturnType<typeof readCommandLine>): Settings {
  if (line.asks !== "run") throw new Error(JSON.stringify(line));
  if (line.settings.problems.length > 0) throw new Error(line.settings.problems.join("\n"));
  return line.settings;
}
