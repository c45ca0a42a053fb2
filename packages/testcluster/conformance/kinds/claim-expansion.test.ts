import { beforeAll, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { attributesClasses, claim, claims, classes, storageClass } from "../testing/fixtures.ts";
import { follow, type Step, send } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const size = (storage: unknown) => ({ spec: { resources: { requests: { storage } } } });
const bind = (name: string): Step => [
  `MERGE ${claims}/${name}/status`,
  { status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] } },
  "200",
];

/** Admission sees classes through a cache of its own: waits until it answers as told to a claim that is only tried. */
async function untilAdmission(
  request: string,
  body: object,
  answers: (code: number, body: { spec?: { storageClassName?: string } }) => boolean,
): Promise<void> {
  await until(`admission has seen the class: ${request}`, async () => {
    const answer = await send(file.admin, `${request}?dryRun=All`, body);
    return answers(answer.code, answer.body);
  });
}

beforeAll(async () => {
  await file.admin.post(classes, storageClass("grows", { allowVolumeExpansion: true }));
  await file.admin.post(classes, storageClass("fixed"));
  await follow(file.admin, [[`POST ${claims}`, claim("probe", { storageClassName: "grows" }), "201"], bind("probe")]);
  await untilAdmission(`MERGE ${claims}/probe`, size("2Gi"), (code) => code === 200);
});

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "a claim grows only when bound and its class allows it",
    [
      [`POST ${claims}`, claim("grow", { storageClassName: "grows" }), "201"],
      [
        `MERGE ${claims}/grow`,
        size("2Gi"),
        '422 Invalid: PersistentVolumeClaim "grow" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
      ],
      bind("grow"),
      [
        `MERGE ${claims}/grow`,
        size("2Gi"),
        "200",
        { "spec.resources": { requests: { storage: "2Gi" } }, "status.capacity": { storage: "1Gi" } },
      ],
      [
        `MERGE ${claims}/grow`,
        size("1Gi"),
        '422 Invalid: PersistentVolumeClaim "grow" is invalid: spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
      ],
      [
        `MERGE ${claims}/grow`,
        size("512Mi"),
        '422 Invalid: PersistentVolumeClaim "grow" is invalid: spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
      ],
      [`POST ${claims}`, claim("stuck", { storageClassName: "fixed" }), "201"],
      bind("stuck"),
      [
        `MERGE ${claims}/stuck`,
        size("2Gi"),
        '403 Forbidden: persistentvolumeclaims "stuck" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      ],
      [`POST ${claims}`, claim("classless", { storageClassName: "gone" }), "201"],
      bind("classless"),
      [
        `MERGE ${claims}/classless`,
        size("2Gi"),
        '403 Forbidden: persistentvolumeclaims "classless" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      ],
    ],
  ],
  [
    "a failed growth may be taken back to above the capacity",
    [
      [`POST ${claims}`, claim("back", { storageClassName: "grows" }), "201"],
      bind("back"),
      [`MERGE ${claims}/back`, size("5Gi"), "200"],
      [
        `MERGE ${claims}/back/status`,
        { status: { allocatedResources: { storage: "5Gi" }, allocatedResourceStatuses: { storage: "ControllerResizeInfeasible" } } },
        "200",
      ],
      [
        `MERGE ${claims}/back`,
        size("1Gi"),
        '422 Invalid: PersistentVolumeClaim "back" is invalid: spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
      ],
      [`MERGE ${claims}/back`, size("3Gi"), "200"],
    ],
  ],
  [
    "the attributes class of a claim",
    [
      [`POST ${attributesClasses}`, { metadata: { name: "gold" }, driverName: "csi.example.com", parameters: { iops: "1" } }, "201"],
      [`POST ${claims}`, claim("vac", { volumeAttributesClassName: "gold" }), "201", { "spec.volumeAttributesClassName": "gold" }],
      [
        `MERGE ${claims}/vac`,
        { spec: { volumeAttributesClassName: "silver" } },
        '422 Invalid: PersistentVolumeClaim "vac" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
      ],
      bind("vac"),
      [`MERGE ${claims}/vac`, { spec: { volumeAttributesClassName: "silver" } }, "200"],
      [`MERGE ${claims}/vac`, { spec: { volumeAttributesClassName: null } }, "200"],
      [
        `MERGE ${claims}/vac/status`,
        {
          status: {
            currentVolumeAttributesClassName: "gold",
            modifyVolumeStatus: { status: "InProgress", targetVolumeAttributesClassName: "silver" },
          },
        },
        "200",
        {
          "status.modifyVolumeStatus": { targetVolumeAttributesClassName: "silver", status: "InProgress" },
          "status.currentVolumeAttributesClassName": "gold",
        },
      ],
      [`MERGE ${claims}/vac/status`, { status: { modifyVolumeStatus: null } }, "200", { "status.modifyVolumeStatus": undefined }],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));

test("the default class is filled in", async () => {
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  await file.admin.post(classes, { ...storageClass("default"), metadata: { name: "default", annotations } });
  await untilAdmission(
    `POST ${claims}`,
    claim("defaulted", { storageClassName: undefined }),
    (_, { spec }) => spec?.storageClassName === "default",
  );
  const none = await file.admin.post(claims, claim("none", { storageClassName: "" }));
  expect([none.code, none.body.spec.storageClassName]).toEqual([201, ""]);
});
