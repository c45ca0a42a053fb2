/** Where the kinds of snapshots come from, for the report about a cluster without them. */
export const installSnapshotKinds =
  "install the CustomResourceDefinitions in deploy/kubernetes/crds, or those of external-snapshotter v8.6.0 or later (docs/snapshots.md)";
