/** Which tests a set has, as ginkgo's focus and skip, and how many of them run at a time. */
export interface TestSet {
  readonly focus: string;
  readonly skip: readonly string[];
  readonly parallel: number;
  readonly about: string;
}

const [slow, serial, disruptive, feature] = ["\\[Slow\\]", "\\[Serial\\]", "\\[Disruptive\\]", "\\[Feature:"];
const windows = "Feature:Windows";
const offByDefault = "Feature:OffByDefault";
/** Deploys a program that is in no module which can be had by its name. */
const populator = "any volume data source";
const performance = "(volume-lifecycle|pvc-deletion)-performance";
const parallel = 6;

export const sets = {
  fast: {
    focus: "External.Storage",
    skip: [feature, disruptive, serial, slow],
    parallel,
    about: "what every driver is tested with",
  },
  features: {
    focus: "External.Storage.*\\[Feature:",
    skip: [windows, disruptive, serial, slow],
    parallel,
    about: "snapshots, group snapshots, volume modification and other features that a cluster may lack",
  },
  slow: {
    focus: "External.Storage.*\\[Slow\\]",
    skip: [windows, disruptive, serial],
    parallel,
    about: "stress, several volumes at once, the rest of subPath",
  },
  serial: {
    focus: "External.Storage.*\\[Serial\\]",
    skip: [windows, disruptive, performance, populator],
    parallel: 1,
    about: "tests that need the cluster for themselves",
  },
  performance: {
    focus: `External.Storage.*${performance}`,
    skip: [],
    parallel: 1,
    about: "hundreds of volumes and pods at once, with limits",
  },
  disruptive: {
    focus: "External.Storage.*\\[Disruptive\\]",
    skip: [windows],
    parallel: 1,
    about: "the kubelet stops and starts",
  },
  manifests: {
    focus: "CSI.Volumes.*Driver:.csi-hostpath\\]",
    skip: [feature, disruptive, serial, slow],
    parallel: 4,
    about: "a driver for each test, deployed by upstream's manifests with our images under upstream's names",
  },
  mock: {
    focus: "CSI.Mock",
    skip: [windows, "Feature:SELinux", offByDefault, disruptive, serial, slow],
    parallel: 4,
    about: "upstream's scripted driver, with our images under upstream's names",
  },
  "mock-slow": {
    focus: "CSI.Mock.*\\[Slow\\]",
    skip: [windows, "Feature:SELinux", offByDefault, disruptive, serial],
    parallel: 4,
    about: "the same: limits of volumes, errors when volumes are staged, pods whose attachment is not needed",
  },
  ci: {
    focus: `External.Storage.*(${[
      "volumes should store data",
      "volumeMode should not mount",
      "subPath should support (existing directory|file as subpath)",
      "provisioning should provision storage with (pvc data source$|snapshot data source \\[)",
      "should create a volume with VAC",
      "volume-expand (should resize volume when PVC is edited while pod is using it|Verify if offline)",
      "ephemeral should (create read/write inline|support expansion)",
      "read-write-once-pod should block",
      "OnRootMismatch.*new pod fsgroup applied",
      "topology should provision",
      "capacity provides",
    ].join("|")})`,
    skip: [windows, disruptive, serial, slow],
    parallel,
    about: "some of fast and features, for every change",
  },
} as const satisfies Record<string, TestSet>;

export type SetName = keyof typeof sets;

export const setNames = Object.keys(sets) as readonly SetName[];

/** Those that deploy upstream's manifests. */
export const setsWithUpstreamManifests: readonly SetName[] = ["manifests", "mock", "mock-slow"];

/** What `--all` runs. */
export const allSets: readonly SetName[] = setNames.filter((name) => name !== "ci");
