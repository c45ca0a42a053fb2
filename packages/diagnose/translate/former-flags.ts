import type { Component } from "@csi-sidecars/host";

/** A flag that a sidecar had once. */
interface FormerFlag {
  readonly standalone: string;
  readonly name: string;
  /** What says the same today: nothing, where that is how it is; `undefined` where nothing does. */
  readonly now: (value: string) => readonly string[] | undefined;
}

const onlyLeases: FormerFlag["now"] = (type) => (type === "leases" ? [] : undefined);

const formerFlags: readonly FormerFlag[] = [
  // Off by default then; the gate that took its place in v8.2 is on.
  {
    standalone: "csi-snapshotter",
    name: "enable-volume-group-snapshots",
    now: (on) => [`--feature-gates=CSIVolumeGroupSnapshot=${on}`],
  },
  { standalone: "csi-provisioner", name: "enable-leader-election", now: (on) => [`--leader-election=${on}`] },
  { standalone: "csi-provisioner", name: "leader-election-type", now: onlyLeases },
  { standalone: "csi-attacher", name: "leader-election-type", now: onlyLeases },
];

/** The words of a command line, with what has taken the place of flags that are gone. */
export function withoutFormerFlags({ standalone }: Component, words: readonly string[]): readonly string[] {
  const own = formerFlags.filter((flag) => flag.standalone === standalone);
  return words.flatMap((word) => {
    const [, name, value = "true"] = /^--?([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    return own.find((flag) => flag.name === name)?.now(value) ?? [word];
  });
}
