import type { Component, SeparateProgram } from "@csi-sidecars/host";
import { imageParts } from "../image-parts.ts";
import { type Fields, listAt, textAt, wordsAt } from "./container.ts";

/** What a container runs, if it is something of ours. */
export type Recognised =
  /** A sidecar that a component replaces; `words`: its command line after the program's name. */
  | { readonly is: "sidecar"; readonly component: Component; readonly words: readonly string[]; readonly version?: string }
  /** A sidecar that is started by something else, a shell for example: nobody knows its command line. */
  | { readonly is: "wrapped"; readonly component: Component; readonly command: string }
  /** A program that csi-sidecars never replaces. */
  | { readonly is: "separate"; readonly name: string; readonly where?: string }
  | { readonly is: "csi-sidecars" };

/** By its image, whatever the registry and its prefixes (`mirrored-sig-storage-csi-attacher`), or by its command. */
export function recognise(
  container: Fields,
  components: readonly Component[],
  separate: readonly SeparateProgram[],
): Recognised | undefined {
  const { name: image, tag } = imageParts(textAt(container, "image") ?? "");
  const [program, ...first] = wordsAt(container, "command");
  const args = wordsAt(container, "args");
  if (program !== undefined) {
    const called = programName(program);
    const component = components.find(({ standalone }) => standalone === called) ?? byImage(image, components);
    if (component && (called === component.standalone || componentNames(component).includes(called)))
      return { is: "sidecar", component, words: [...first, ...args], ...(byImage(image, [component]) && versionOf(tag)) };
    const wrapped = byImage(image, components);
    if (wrapped) return { is: "wrapped", component: wrapped, command: program };
    return called === "csi-sidecars" ? ours([...first, ...args], components) : undefined;
  }
  const component = byImage(image, components);
  if (component) return { is: "sidecar", component, words: args, ...versionOf(tag) };
  if (image === "csi-sidecars") return ours(args, components);
  const other = separate.find(({ name, aliases = [] }) => [name, ...aliases].some((each) => isNamed(image, each)));
  return other && { is: "separate", name: other.name, ...(other.where !== undefined && { where: other.where }) };
}

/** The sidecars whose images a container names in its variables or arguments: an operator, which makes their containers itself. */
export function sidecarsMadeBy(container: Fields, components: readonly Component[]): readonly Component[] {
  const variables = listAt(container, "env").flatMap((variable) => textAt(variable, "value") ?? []);
  const words = [...wordsAt(container, "command"), ...wordsAt(container, "args")].map((word) => word.slice(word.indexOf("=") + 1));
  const images = [...variables, ...words].filter((text) => /^[\w./:@-]+\/[\w.-]+[:@][\w.:-]+$/.test(text));
  return components.filter((component) => images.some((image) => byImage(imageParts(image).name, [component])));
}

/** Whether a container is called like a sidecar: its image may be a placeholder, or a build with another name. */
export function isCalledLikeSidecar(name: string, components: readonly Component[]): boolean {
  return (
    name === "liveness-probe" ||
    components.some((component) => [...componentNames(component), `csi-${component.name}`, component.name].includes(name))
  );
}

/** Our own image may run one sidecar: `csi-sidecars csi-attacher --v=2`. */
function ours(words: readonly string[], components: readonly Component[]): Recognised {
  const component = components.find(({ standalone }) => standalone === words[0]);
  return component ? { is: "sidecar", component, words: words.slice(1) } : { is: "csi-sidecars" };
}

function byImage(image: string, components: readonly Component[]): Component | undefined {
  return components.find((component) => componentNames(component).some((name) => isNamed(image, name)));
}

/** What images and programs of a sidecar are called: `external-attacher` is one, and `csi-external-attacher`. */
function componentNames({ standalone, aliases = [] }: Component): readonly string[] {
  return [standalone, ...aliases, ...[standalone, ...aliases].filter((name) => !name.startsWith("csi-")).map((name) => `csi-${name}`)];
}

/** A mirror puts something before the name; `nfs-subdir-external-provisioner` is no mirror of `external-provisioner`. */
function isNamed(image: string, name: string): boolean {
  return image === name || (!name.startsWith("external-") && image.endsWith(`-${name}`));
}

function programName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).replace(/\.exe$/i, "");
}

function versionOf(tag: string | undefined): { readonly version?: string } {
  const [version] = /^v?\d+\.\d+\.\d+/.exec(tag ?? "") ?? [];
  return version === undefined ? {} : { version: version.startsWith("v") ? version : `v${version}` };
}
