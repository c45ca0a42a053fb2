import { ownValue } from "@csi-sidecars/base";
import type { SidecarProgram } from "@csi-sidecars/host";
import { fieldsAt } from "./container.ts";
import { applyEdits, type Edit } from "./edits.ts";
import { type Manifest, readManifests, titleOf, UnreadableManifest, type Workload, workloadOf } from "./manifests.ts";
import { replaceContainers } from "./replace-containers.ts";
import { type Translation, translateWorkload } from "./translate-workload.ts";

/** A file of manifests. */
export interface Source {
  readonly name: string;
  readonly text: string;
}

/** A file with what is to be changed in it. */
export interface TranslatedSource extends Source {
  readonly edits: readonly Edit[];
}

export interface Outcome {
  readonly sources: readonly TranslatedSource[];
  readonly translations: readonly Translation[];
}

/** Translates all workloads of the files, which belong together: the roles of one may be in another. */
export function translateSources(sources: readonly Source[], program: SidecarProgram, image: string): Outcome {
  const read = sources.map((source) => ({ ...source, manifests: readManifests(source.text, source.name) }));
  const manifests = read.flatMap((each) => each.manifests);
  const translations: Translation[] = [];
  const translated = read.map(({ name, text, manifests: own }) => {
    const here = own.flatMap((manifest) => {
      const workload = workloadOf(manifest);
      return (workload && translateWorkload(workload, { program, image, manifests })) ?? [];
    });
    translations.push(...here);
    const changes = here.flatMap(({ workload, parts }) => parts.map(({ replacement }) => ({ workload, replacement })));
    const edits = [...Map.groupBy(changes, ({ workload }) => workload.document).values()].flatMap((group) =>
      replaceContainers(text, group),
    );
    checkResult({ name, text, edits }, own);
    return { name, text, edits };
  });
  return { sources: translated, translations: withSharedWarnings(translations) };
}

/** What was cut out may have been referred to, by an alias; such a result is none. */
function checkResult({ name, text, edits }: TranslatedSource, before: readonly Manifest[]): void {
  if (edits.length === 0) return;
  const after = readManifests(applyEdits(text, edits), `${name}, translated`);
  if (after.length !== before.length)
    throw new UnreadableManifest(`${name}: the result has other objects than the input; this is a defect of the translation`);
}

/** What only shows when workloads are seen together. */
function withSharedWarnings(translations: readonly Translation[]): readonly Translation[] {
  return translations.map((translation, at) => {
    const { workload, parts, warnings } = translation;
    const more: string[] = [];
    for (const { workload: other, parts: theirs } of translations.slice(0, at)) {
      const elect = (all: Translation["parts"]) => all.some(({ container }) => container.elects);
      if (elect(parts) && elect(theirs) && workload.namespace === other.namespace)
        more.push(
          `${titleOf(other)} runs for a lease in the same namespace: if both serve one driver, give them different names with --leader-election-lease-name`,
        );
      const port = portsOf(parts).find((each) => portsOf(theirs).includes(each));
      if (port !== undefined && mayShareNetwork(workload, other))
        more.push(`port ${port} is also one of ${titleOf(other)}: on the host's network both cannot listen on one node`);
    }
    return more.length > 0 ? { ...translation, warnings: [...warnings, ...more] } : translation;
  });
}

const portsOf = (parts: Translation["parts"]) => parts.flatMap(({ container }) => container.listensOn);

/** Whether pods of both may be on the network of one node. */
function mayShareNetwork({ pod }: Workload, { pod: other }: Workload): boolean {
  const nodes = fieldsAt(other, "nodeSelector") ?? {};
  const apart = Object.entries(fieldsAt(pod, "nodeSelector") ?? {}).some(([label, value]) => (ownValue(nodes, label) ?? value) !== value);
  return pod.hostNetwork === true && other.hostNetwork === true && !apart;
}
