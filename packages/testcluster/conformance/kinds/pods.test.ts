import { describe, test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { pods } from "../testing/fixtures.ts";
import { follow } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const pod = (spec: object) => ({ metadata: { name: "p" }, spec });
const main = { name: "main", image: "app" };
const mounting = (...volumeMounts: object[]) => ({ ...main, volumeMounts });
const claim = { name: "data", persistentVolumeClaim: { claimName: "data" } };
const scratch = { name: "scratch", emptyDir: {} };
const refused = (...causes: string[]) =>
  `422 Invalid: Pod "p" is invalid: ${causes.length > 1 ? `[${causes.join(", ")}]` : causes.join("")}`;

const rows: readonly (readonly [what: string, spec: object, said: string])[] = [
  ["no container", { containers: [] }, refused("spec.containers: Required value")],
  [
    "a container without name and image",
    { containers: [{}] },
    refused("spec.containers[0].name: Required value", "spec.containers[0].image: Required value"),
  ],
  ["a name that is none", { containers: [{ ...main, name: "Main" }] }, refused(`spec.containers[0].name: Invalid value: "Main": ${label}`)],
  ["two of a name", { containers: [main, main] }, refused('spec.containers[1].name: Duplicate value: "main"')],
  [
    "an init container of the same name",
    { containers: [main], initContainers: [main] },
    refused('spec.initContainers[0].name: Duplicate value: "main"'),
  ],
  [
    "an image with a blank",
    { containers: [{ ...main, image: "app " }] },
    refused('spec.containers[0].image: Invalid value: "app ": must not have leading or trailing whitespace'),
  ],
  [
    "policies that do not exist",
    { containers: [{ ...main, imagePullPolicy: "Maybe" }], restartPolicy: "Sometimes" },
    refused(
      'spec.containers[0].imagePullPolicy: Unsupported value: "Maybe": supported values: "Always", "IfNotPresent", "Never"',
      'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
    ),
  ],
  [
    "a variable without name",
    { containers: [{ ...main, env: [{ value: "x" }] }] },
    refused("spec.containers[0].env[0].name: Required value"),
  ],
  [
    "a mount of a volume that is not there",
    { containers: [mounting({ name: "dat", mountPath: "/data" })], volumes: [claim] },
    refused('spec.containers[0].volumeMounts[0].name: Not found: "dat"'),
  ],
  [
    "a mount without a place",
    { containers: [mounting({ name: "data" })], volumes: [claim] },
    refused("spec.containers[0].volumeMounts[0].mountPath: Required value"),
  ],
  [
    "two mounts in one place",
    { containers: [mounting({ name: "data", mountPath: "/a" }, { name: "scratch", mountPath: "/a" })], volumes: [claim, scratch] },
    refused('spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique'),
  ],
  [
    "a device of a volume without claim",
    { containers: [{ ...main, volumeDevices: [{ name: "scratch", devicePath: "/dev/a" }] }], volumes: [scratch] },
    refused(
      'spec.containers[0].volumeDevices[0].name: Invalid value: "scratch": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
    ),
  ],
  [
    "a device of a volume that is not there",
    { containers: [{ ...main, volumeDevices: [{ name: "dat", devicePath: "/dev/a" }] }], volumes: [claim] },
    refused('spec.containers[0].volumeDevices[0].name: Not found: "dat"'),
  ],
  [
    "mounted, and a device",
    {
      containers: [{ ...mounting({ name: "data", mountPath: "/a" }), volumeDevices: [{ name: "data", devicePath: "/dev/a" }] }],
      volumes: [claim],
    },
    refused(
      'spec.containers[0].volumeMounts[0].name: Invalid value: "data": must not already exist in volumeDevices',
      'spec.containers[0].volumeDevices[0].name: Invalid value: "data": must not already exist in volumeMounts',
    ),
  ],
  ["two volumes of a name", { containers: [main], volumes: [claim, claim] }, refused('spec.volumes[1].name: Duplicate value: "data"')],
  [
    "volumes without and with a wrong name",
    { containers: [main], volumes: [{ emptyDir: {} }, { name: "My", emptyDir: {} }] },
    refused("spec.volumes[0].name: Required value", `spec.volumes[1].name: Invalid value: "My": ${label}`),
  ],
  [
    "a volume of two kinds",
    { containers: [main], volumes: [{ name: "data", emptyDir: {}, hostPath: { path: "/tmp" } }] },
    refused("spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"),
  ],
  [
    "a claim, a folder and a secret without name",
    {
      containers: [main],
      volumes: [
        { name: "a", persistentVolumeClaim: {} },
        { name: "b", hostPath: {} },
        { name: "c", secret: {} },
      ],
    },
    refused(
      "spec.volumes[0].persistentVolumeClaim.claimName: Required value",
      "spec.volumes[1].hostPath.path: Required value",
      "spec.volumes[2].secret.secretName: Required value",
    ),
  ],
  [
    "the claim that another volume will make",
    {
      containers: [main],
      volumes: [
        {
          name: "data",
          ephemeral: { volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } } },
        },
        { name: "same", persistentVolumeClaim: { claimName: "p-data" } },
      ],
    },
    refused(
      'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-data": must not reference a PVC that gets created for an ephemeral volume',
    ),
  ],
];

describe("a pod is refused for", () => {
  test.each(rows)("%s", (_what, spec, said) => follow(file.admin, [[`POST ${pods}`, pod(spec), said]]));
});

test("a pod is filled in: an empty directory where a volume names no source, modes of files, policies of every container", () =>
  follow(file.admin, [
    [
      `POST ${pods}?dryRun=All`,
      pod({
        containers: [mounting({ name: "scratch", mountPath: "/a" })],
        initContainers: [{ name: "first", image: "app:v1" }],
        volumes: [{ name: "scratch" }, { name: "key", secret: { secretName: "s" } }, { name: "folder", hostPath: { path: "/tmp" } }],
      }),
      "201",
      {
        "spec.volumes": [
          { name: "scratch", emptyDir: {} },
          { name: "key", secret: { secretName: "s", defaultMode: 420 } },
          { name: "folder", hostPath: { path: "/tmp", type: "" } },
        ],
        "spec.initContainers.0.imagePullPolicy": "IfNotPresent",
        "spec.containers.0.imagePullPolicy": "Always",
      },
    ],
  ]));

test.each([
  ["BestEffort", {}, undefined],
  ["Burstable", { requests: { memory: "64Mi" } }, { memory: "64Mi" }],
  ["Guaranteed", { limits: { cpu: "0.5", memory: "64Mi" } }, { cpu: "500m", memory: "64Mi" }],
])("a pod's quality of service is %s", (qosClass, resources, requests) =>
  follow(file.admin, [
    [
      `POST ${pods}?dryRun=All`,
      pod({ containers: [{ ...main, resources }] }),
      "201",
      { "status.qosClass": qosClass, "spec.containers.0.resources.requests": requests },
    ],
  ]),
);

test("a pod with a gate says that it is held back", () =>
  follow(file.admin, [
    [
      `POST ${pods}?dryRun=All`,
      pod({ containers: [main], schedulingGates: [{ name: "example.com/later" }] }),
      "201",
      {
        "status.conditions.0.type": "PodScheduled",
        "status.conditions.0.status": "False",
        "status.conditions.0.reason": "SchedulingGated",
        "status.conditions.0.message": "Scheduling is blocked due to non-empty scheduling gates",
      },
    ],
  ]));
