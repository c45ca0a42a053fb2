import { expect, test } from "bun:test";
import type { Wire } from "../../apiserver/testing/wire.ts";
import { startCluster } from "../../cluster/start-cluster.ts";
import { builtInKinds } from "../../kinds/built-in.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import * as paths from "../testing/fixtures.ts";
import { attachment, claim, configMap, csiNode, lease, storageClass, volume } from "../testing/fixtures.ts";
import { send } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());

interface Table {
  readonly columnDefinitions: readonly { name: string; type: string; format: string; priority: number }[] | null;
  readonly rows: readonly { cells: readonly unknown[]; object?: { kind: string; metadata: { name: string } } }[];
}

const acceptTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

async function tableAt(path: string): Promise<Table> {
  const { url, caPem, adminToken } = file.cluster;
  const headers = { Authorization: `Bearer ${adminToken}`, Accept: acceptTable };
  const answer = await fetch(url + path, { headers, tls: { ca: caPem } });
  expect([path, answer.status]).toEqual([path, 200]);
  return JSON.parse(await answer.text());
}

/** `Name:string/name`, with `!` for the columns of `-o wide`. */
const definitionLine = ({ columnDefinitions }: Table): string =>
  (columnDefinitions ?? [])
    .map(
      ({ name, type, format, priority }) =>
        `${name}${type === "string" ? "" : `:${type}`}${format ? `/${format}` : ""}${priority ? "!" : ""}`,
    )
    .join(" | ");

const binding = "Name/name | Role | Age | Users! | Groups! | ServiceAccounts!";
const events = "Last Seen | Type | Reason | Object | Subobject! | Source! | Message | First Seen! | Count! | Name/name!";
const workload = "Containers! | Images!";

const printed: Readonly<Record<string, string>> = {
  "/api/v1/configmaps": "Name/name | Data | Age",
  "/api/v1/events": events,
  "/api/v1/namespaces": "Name/name | Status | Age",
  "/api/v1/nodes":
    "Name/name | Status | Roles | Age | Version | Internal-IP! | External-IP! | OS-Image! | Kernel-Version! | Container-Runtime!",
  "/api/v1/persistentvolumeclaims":
    "Name/name | Status | Volume | Capacity | Access Modes | StorageClass | VolumeAttributesClass | Age | VolumeMode!",
  "/api/v1/persistentvolumes":
    "Name/name | Capacity | Access Modes | Reclaim Policy | Status | Claim | StorageClass | VolumeAttributesClass | Reason | Age | VolumeMode!",
  "/api/v1/pods": "Name/name | Ready | Status | Restarts | Age | IP! | Node! | Nominated Node! | Readiness Gates!",
  "/api/v1/secrets": "Name/name | Type | Data | Age",
  "/api/v1/services": "Name/name | Type | Cluster-IP | External-IP | Port(s) | Age | Selector!",
  "/api/v1/serviceaccounts": "Name/name | Age",
  "/apis/apps/v1/daemonsets": `Name/name | Desired:integer | Current:integer | Ready:integer | Up-to-date:integer | Available:integer | Node Selector | Age | ${workload} | Selector!`,
  "/apis/apps/v1/deployments": `Name/name | Ready | Up-to-date | Available | Age | ${workload} | Selector!`,
  "/apis/apps/v1/replicasets": `Name/name | Desired:integer | Current:integer | Ready:integer | Age | ${workload} | Selector!`,
  "/apis/apps/v1/statefulsets": `Name/name | Ready | Age | ${workload}`,
  "/apis/events.k8s.io/v1/events": events,
  "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings": binding,
  "/apis/rbac.authorization.k8s.io/v1/clusterroles": "Name/name | Created At:date",
  "/apis/rbac.authorization.k8s.io/v1/rolebindings": binding,
  "/apis/rbac.authorization.k8s.io/v1/roles": "Name/name | Created At:date",
  "/apis/storage.k8s.io/v1/csidrivers":
    "Name/name | AttachRequired:boolean | PodInfoOnMount:boolean | StorageCapacity:boolean | TokenRequests | RequiresRepublish:boolean | Modes | Age",
  "/apis/storage.k8s.io/v1/csinodes": "Name/name | Drivers:integer | Age",
  "/apis/storage.k8s.io/v1/csistoragecapacities": "Name/name | Created At:date",
  "/apis/storage.k8s.io/v1/storageclasses": "Name/name | Provisioner | ReclaimPolicy | VolumeBindingMode | AllowVolumeExpansion | Age",
  "/apis/storage.k8s.io/v1/volumeattachments": "Name/name | Attacher/name | PV | Node | Attached:boolean | Age",
  "/apis/storage.k8s.io/v1/volumeattributesclasses": "Name/name | DriverName | Age",
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions": "Name/name | Created At:date",
  "/apis/coordination.k8s.io/v1/leases": "Name/name | Holder | Age",
  "/apis/batch/v1/cronjobs":
    "Name/name | Schedule | Timezone | Suspend:boolean | Active:integer | Last Schedule | Age | Containers! | Images! | Selector!",
  "/apis/batch/v1/jobs": "Name/name | Status | Completions | Duration | Age | Containers! | Images! | Selector!",
  "/apis/policy/v1/poddisruptionbudgets": "Name/name | Min Available | Max Unavailable | Allowed Disruptions:integer | Age",
};

test("every kind is printed with the columns that people know", async () => {
  const served = builtInKinds.map(({ group, version, plural }) => `/${group ? `apis/${group}` : "api"}/${version}/${plural}`);
  const seen = await Promise.all(served.map(async (path) => [path, definitionLine(await tableAt(path))]));
  expect(Object.fromEntries(seen)).toEqual(printed);
});

const drivers = paths.csiDrivers;
const services = "/api/v1/namespaces/default/services";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const daemonSets = "/apis/apps/v1/namespaces/default/daemonsets";
const statefulSets = "/apis/apps/v1/namespaces/default/statefulsets";
const podLabels = { app: "a", tier: "b" };
const template = {
  metadata: { labels: podLabels },
  spec: {
    nodeSelector: { disk: "ssd" },
    containers: [
      { name: "c", image: "i:1" },
      { name: "d", image: "j:2" },
    ],
  },
};
const selector = { matchLabels: podLabels, matchExpressions: [{ key: "tier", operator: "In", values: ["c", "b"] }] };
const pod = (name: string) => ({
  metadata: { name },
  spec: {
    containers: [
      { name: "c", image: "i:1" },
      { name: "d", image: "i:1" },
    ],
  },
});
const containers = (first: object, second: object) => ({
  containerStatuses: [
    { name: "c", image: "i:1", imageID: "", ready: false, restartCount: 2, ...first },
    { name: "d", image: "i:1", imageID: "", ready: false, restartCount: 0, ...second },
  ],
});
const running = { ready: true, state: { running: { startedAt: "2026-01-01T00:00:00Z" } } };
const ended = (exitCode: number, reason?: string) => ({ state: { terminated: { exitCode, ...(reason && { reason }) } } });

/** Requests that make an object, and the cells it is then printed with; an age is `<age>`. */
const rows: readonly [
  what: string,
  steps: readonly (readonly [request: string, body: unknown])[],
  path: string,
  cells: readonly unknown[],
][] = [
  [
    "a config map",
    [[`POST ${paths.maps}`, { ...configMap("m", { a: "1" }), binaryData: { b: "eA==" } }]],
    `${paths.maps}/m`,
    ["m", 2, "<age>"],
  ],
  [
    "a secret",
    [[`POST ${paths.secrets}`, { metadata: { name: "s" }, stringData: { a: "b" } }]],
    `${paths.secrets}/s`,
    ["s", "Opaque", 1, "<age>"],
  ],
  [
    "a pending claim",
    [[`POST ${paths.claims}`, claim("pending", { volumeAttributesClassName: "gold" })]],
    `${paths.claims}/pending`,
    ["pending", "Pending", "", "", "", "fast", "gold", "<age>", "Filesystem"],
  ],
  [
    "a bound claim",
    [
      [`POST ${paths.claims}`, claim("bound", { volumeName: "v", accessModes: ["ReadWriteMany", "ReadWriteOnce"], volumeMode: "Block" })],
      [
        `MERGE ${paths.claims}/bound/status`,
        { status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteMany", "ReadWriteOnce"] } },
      ],
    ],
    `${paths.claims}/bound`,
    ["bound", "Bound", "v", "1Gi", "RWO,RWX", "fast", "<unset>", "<age>", "Block"],
  ],
  [
    "a claim on its way out",
    [
      [`POST ${paths.claims}`, claim("leaving", {}, { finalizers: ["example.com/hold"] })],
      [`DELETE ${paths.claims}/leaving`, undefined],
    ],
    `${paths.claims}/leaving`,
    ["leaving", "Terminating", "", "", "", "fast", "<unset>", "<age>", "Filesystem"],
  ],
  [
    "a volume",
    [
      [`POST ${paths.volumes}`, volume("v", { claimRef: { namespace: "ns", name: "c" }, storageClassName: "fast" })],
      [`MERGE ${paths.volumes}/v/status`, { status: { phase: "Failed", reason: "Worn" } }],
    ],
    `${paths.volumes}/v`,
    ["v", "1Gi", "RWO", "Retain", "Failed", "ns/c", "fast", "<unset>", "Worn", "<age>", "Filesystem"],
  ],
  [
    "the default class",
    [
      [
        `POST ${paths.classes}`,
        {
          ...storageClass("std", { allowVolumeExpansion: true }),
          metadata: { name: "std", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
        },
      ],
    ],
    `${paths.classes}/std`,
    ["std (default)", "csi.example.com", "Delete", "Immediate", true, "<age>"],
  ],
  [
    "an attachment",
    [
      [`POST ${paths.attachments}`, attachment("va")],
      [`MERGE ${paths.attachments}/va/status`, { status: { attached: true } }],
    ],
    `${paths.attachments}/va`,
    ["va", "csi.example.com", "pv-1", "node-1", true, "<age>"],
  ],
  [
    "a driver",
    [
      [
        `POST ${drivers}`,
        {
          metadata: { name: "d" },
          spec: {
            attachRequired: false,
            tokenRequests: [{ audience: "a" }, { audience: "b" }],
            volumeLifecycleModes: ["Persistent", "Ephemeral"],
          },
        },
      ],
    ],
    `${drivers}/d`,
    ["d", false, false, false, "a,b", false, "Persistent,Ephemeral", "<age>"],
  ],
  [
    "a driver as it comes",
    [[`POST ${drivers}`, { metadata: { name: "e" }, spec: {} }]],
    `${drivers}/e`,
    ["e", true, false, false, "<unset>", false, "Persistent", "<age>"],
  ],
  ["a CSINode", [[`POST ${paths.csiNodes}`, csiNode("n", { name: "d", nodeID: "x" })]], `${paths.csiNodes}/n`, ["n", 1, "<age>"]],
  [
    "a capacity",
    [[`POST ${paths.capacities}`, { metadata: { name: "cap" }, storageClassName: "fast", capacity: "1Gi" }]],
    `${paths.capacities}/cap`,
    ["cap", "<time>"],
  ],
  ["a lease", [[`POST ${paths.leases}`, lease("l", { holderIdentity: "me" })]], `${paths.leases}/l`, ["l", "me", "<age>"]],
  [
    "a node",
    [
      [
        `POST ${paths.nodes}`,
        {
          metadata: { name: "n1", labels: { "node-role.kubernetes.io/storage": "", "kubernetes.io/role": "old" } },
          spec: { unschedulable: true },
        },
      ],
      [
        `MERGE ${paths.nodes}/n1/status`,
        {
          status: {
            conditions: [{ type: "Ready", status: "True" }],
            addresses: [{ type: "InternalIP", address: "10.1.1.1" }],
            nodeInfo: { kubeletVersion: "v1", osImage: "Linux" },
          },
        },
      ],
    ],
    `${paths.nodes}/n1`,
    ["n1", "Ready,SchedulingDisabled", "old,storage", "<age>", "v1", "10.1.1.1", "<none>", "Linux", "<unknown>", "<unknown>"],
  ],
  [
    "a node that says nothing",
    [[`POST ${paths.nodes}`, { metadata: { name: "n2" } }]],
    `${paths.nodes}/n2`,
    ["n2", "Unknown", "<none>", "<age>", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"],
  ],
  [
    "a pod",
    [[`POST ${paths.pods}`, pod("p")]],
    `${paths.pods}/p`,
    ["p", "0/2", "Pending", "0", "<age>", "<none>", "<none>", "<none>", "<none>"],
  ],
  [
    "a pod that runs and one container of which waits",
    [
      [`POST ${paths.pods}`, pod("waits")],
      [
        `MERGE ${paths.pods}/waits/status`,
        { status: { phase: "Running", podIP: "10.1.1.2", ...containers(running, { state: { waiting: { reason: "CrashLoopBackOff" } } }) } },
      ],
    ],
    `${paths.pods}/waits`,
    ["waits", "1/2", "CrashLoopBackOff", "2", "<age>", "10.1.1.2", "<none>", "<none>", "<none>"],
  ],
  [
    "a pod of which one container has ended",
    [
      [`POST ${paths.pods}`, pod("half")],
      [`MERGE ${paths.pods}/half/status`, { status: { phase: "Running", ...containers(ended(0, "Completed"), running) } }],
    ],
    `${paths.pods}/half`,
    ["half", "1/2", "NotReady", "2", "<age>", "<none>", "<none>", "<none>", "<none>"],
  ],
  [
    "a pod that has failed",
    [
      [`POST ${paths.pods}`, pod("failed")],
      [`MERGE ${paths.pods}/failed/status`, { status: { phase: "Failed", ...containers(ended(3), ended(0, "Completed")) } }],
    ],
    `${paths.pods}/failed`,
    ["failed", "0/2", "ExitCode:3", "2", "<age>", "<none>", "<none>", "<none>", "<none>"],
  ],
  [
    "a service",
    [
      [
        `POST ${services}`,
        {
          metadata: { name: "svc" },
          spec: {
            clusterIP: "None",
            ports: [{ port: 80 }, { name: "u", port: 53, protocol: "UDP" }].map((port) => ({ name: "t", ...port })),
            selector: podLabels,
          },
        },
      ],
    ],
    `${services}/svc`,
    ["svc", "ClusterIP", "None", "<none>", "80/TCP,53/UDP", "<age>", "app=a,tier=b"],
  ],
  [
    "a deployment",
    [[`POST ${deployments}`, { metadata: { name: "dep" }, spec: { replicas: 2, selector, template } }]],
    `${deployments}/dep`,
    ["dep", "0/2", 0, 0, "<age>", "c,d", "i:1,j:2", "app=a,tier=b,tier in (b,c)"],
  ],
  [
    "a daemon set",
    [[`POST ${daemonSets}`, { metadata: { name: "ds" }, spec: { selector, template } }]],
    `${daemonSets}/ds`,
    ["ds", 0, 0, 0, 0, 0, "disk=ssd", "<age>", "c,d", "i:1,j:2", "app=a,tier=b,tier in (b,c)"],
  ],
  [
    "a stateful set",
    [[`POST ${statefulSets}`, { metadata: { name: "sts" }, spec: { replicas: 3, serviceName: "svc", selector, template } }]],
    `${statefulSets}/sts`,
    ["sts", "0/3", "<age>", "c,d", "i:1,j:2"],
  ],
  [
    "a role binding",
    [
      [
        `POST ${paths.roleBindings}`,
        {
          metadata: { name: "rb" },
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" },
          subjects: [
            { kind: "User", name: "u" },
            { kind: "User", name: "w" },
            { kind: "ServiceAccount", name: "sa", namespace: "ns" },
          ],
        },
      ],
    ],
    `${paths.roleBindings}/rb`,
    ["rb", "ClusterRole/r", "<age>", "u, w", "", "ns/sa"],
  ],
  [
    "an event of the old kind",
    [
      [
        `POST ${paths.events}`,
        {
          metadata: { name: "ev" },
          involvedObject: { kind: "PersistentVolumeClaim", name: "c", namespace: "default", fieldPath: "spec.x" },
          type: "Warning",
          reason: "Why",
          message: " What happened\n",
          source: { component: "who", host: "where" },
          firstTimestamp: "2026-01-01T00:00:00Z",
          lastTimestamp: "2026-01-01T00:00:00Z",
          count: 3,
        },
      ],
    ],
    `${paths.events}/ev`,
    ["<age>", "Warning", "Why", "persistentvolumeclaim/c", "spec.x", "who, where", "What happened", "<age>", 3, "ev"],
  ],
  [
    "an event of the new kind",
    [
      [
        "POST /apis/events.k8s.io/v1/namespaces/default/events",
        {
          metadata: { name: "new" },
          regarding: { kind: "Pod", name: "p", namespace: "default" },
          type: "Normal",
          reason: "Why",
          action: "Do",
          note: "Note",
          reportingController: "example.com/c",
          reportingInstance: "c-1",
          eventTime: "2026-01-01T00:00:00.000000Z",
        },
      ],
    ],
    "/apis/events.k8s.io/v1/namespaces/default/events/new",
    ["<age>", "Normal", "Why", "pod/p", "", "example.com/c, c-1", "Note", "<age>", 1, "new"],
  ],
];

async function make(wire: Wire, steps: readonly (readonly [request: string, body: unknown])[]): Promise<void> {
  for (const [request, body] of steps) {
    const answer = await send(wire, request, body);
    expect([request, answer.code < 300 ? "" : answer.body.message]).toEqual([request, ""]);
  }
}

const ageless = (cell: unknown): unknown =>
  typeof cell !== "string" ? cell : cell.replace(/^(?:\d+[smhdy])+$/, "<age>").replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, "<time>");

test.each([...rows])("%s is printed", async (_, steps, path, cells) => {
  await make(file.admin, steps);
  const { rows: seen } = await tableAt(path);
  expect(seen.map((row) => row.cells.map(ageless))).toEqual([[...cells]]);
});

test("a row carries as much of its object as is asked for", async () => {
  const kinds = await Promise.all(
    ["", "?includeObject=Metadata", "?includeObject=Object", "?includeObject=None"].map(async (query) => {
      const { rows: seen } = await tableAt(`${paths.volumes}/v${query}`);
      return seen.map(({ object }) => object?.kind);
    }),
  );
  expect(kinds).toEqual([["PartialObjectMetadata"], ["PartialObjectMetadata"], ["PersistentVolume"], [undefined]]);
});

test("writes are answered with rows too, deletions with a Status", async () => {
  const wire = file.admin.accepting(acceptTable);
  const created = await wire.post(paths.maps, configMap("written"));
  const patched = await wire.merge(`${paths.maps}/written`, { data: { a: "b" } });
  const deleted = await wire.delete(`${paths.maps}/written`);
  expect([created, patched, deleted].map(({ code, body }) => [code, body.kind, body.rows?.[0].cells.slice(0, 2)])).toEqual([
    [201, "Table", ["written", 0]],
    [200, "Table", ["written", 1]],
    [200, "Status", undefined],
  ]);
});

test("a watch sends rows, and names the columns once", async () => {
  const { url, caPem, adminToken } = file.cluster;
  const headers = { Authorization: `Bearer ${adminToken}`, Accept: acceptTable };
  const abort = new AbortController();
  const path = `${paths.maps}?watch=true&fieldSelector=metadata.name%3Dwatched`;
  const answer = await fetch(url + path, { headers, tls: { ca: caPem }, signal: abort.signal });
  await make(file.admin, [
    [`POST ${paths.maps}`, configMap("watched")],
    [`MERGE ${paths.maps}/watched`, { data: { a: "b" } }],
    [`DELETE ${paths.maps}/watched`, undefined],
  ]);
  const events: string[] = [];
  let text = "";
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.split("\n").length > 3) break;
  }
  for (const line of text.trim().split("\n")) {
    const { type, object } = JSON.parse(line);
    events.push([type, object.kind, object.columnDefinitions?.length ?? "-", object.rows[0].cells.slice(0, 2)].join(" "));
  }
  abort.abort();
  expect(events).toEqual(["ADDED Table 3 watched,0", "MODIFIED Table - watched,1", "DELETED Table - watched,1"]);
});
