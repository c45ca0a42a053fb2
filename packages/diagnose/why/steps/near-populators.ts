import type { V1beta1VolumePopulator } from "@csi-sidecars/kube";

/** A kind of data source. */
export interface SourceKind {
  readonly group: string;
  readonly kind: string;
}

/** `Book.library.io` */
export const nameOf = ({ group, kind }: SourceKind) => (group === "" ? kind : `${kind}.${group}`);

/** A populator whose kind is nearly the wanted one. */
export interface NearPopulator extends SourceKind {
  /** Of the VolumePopulator. */
  readonly populator: string;
  readonly difference: "letter case" | "group" | "kind";
}

const order: readonly NearPopulator["difference"][] = ["letter case", "group", "kind"];

/** Whether a populator announces a kind: group and kind are compared as they are written. */
export function announces({ sourceKind }: V1beta1VolumePopulator, { group, kind }: SourceKind): boolean {
  return sourceKind?.kind === kind && (sourceKind.group ?? "") === group;
}

/** The populators that somebody may have had in mind, the nearest first. None of them announces the wanted kind. */
export function nearPopulators(populators: readonly V1beta1VolumePopulator[], wanted: SourceKind): readonly NearPopulator[] {
  return populators
    .flatMap(({ metadata, sourceKind }): NearPopulator[] => {
      const { group = "", kind = "" } = sourceKind ?? {};
      const [sameGroup, sameKind] = [sameWord(group, wanted.group), sameWord(kind, wanted.kind)];
      if (!sameGroup && !sameKind) return [];
      const difference = sameGroup && sameKind ? "letter case" : sameKind ? "group" : "kind";
      return [{ populator: metadata?.name ?? "", group, kind, difference }];
    })
    .sort((a, b) => order.indexOf(a.difference) - order.indexOf(b.difference));
}

function sameWord(a: string, b: string): boolean {
  return a !== "" && a.toLowerCase() === b.toLowerCase();
}
