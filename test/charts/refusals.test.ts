import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Charts, helmIsMissing } from "./testing/helm.ts";

const sidecars = (values: object) => ({ "csi-sidecars": values });
const controller = (values: object) => sidecars({ controller: values });
const webhook = (values: object, rest: object = {}) => ({ webhook: { enabled: true, ...values }, ...rest });
const certificate = { certManager: { enabled: true } };

/** What is wrong, and what helm must say about it. */
const refused: readonly (readonly [chart: string, values: object, message: RegExp])[] = [
  ["example-driver", sidecars({ driver: { name: "" } }), /csi-sidecars\.driver\.name: set it to the name of the CSIDriver object/],
  ["example-driver", sidecars({ driver: { name: "Not a name" } }), /driver\/name.*does not match pattern|driver\.name/s],
  ["example-driver", sidecars({ drivers: {} }), /additional properties 'drivers' not allowed/i],
  ["example-driver", sidecars({ image: { pullPolicy: "Sometimes" } }), /image.pullPolicy.*Always.*IfNotPresent.*Never/s],
  ["example-driver", sidecars({ image: { digest: "sha256:123" } }), /image.digest/],
  ["example-driver", sidecars({ rbac: { secrets: "namespaces" } }), /csi-sidecars\.rbac\.secretNamespaces: name the namespaces/],
  ["example-driver", sidecars({ rbac: { secretNamespaces: ["a"] } }), /csi-sidecars\.rbac\.secretNamespaces: has no effect/],
  ["example-driver", controller({ controllers: [] }), /csi-sidecars\.controller\.controllers: name at least one of attacher, /],
  [
    "example-driver",
    controller({ controllers: ["atacher"] }),
    /csi-sidecars\.controller\.controllers: "atacher" is no controller: use attacher, /,
  ],
  ["example-driver", controller({ controllers: ["snapshot-controller"] }), /"snapshot-controller" is no controller/],
  [
    "example-driver",
    controller({ leaderElection: { enabled: false } }),
    /csi-sidecars\.controller\.replicas: 2 replicas need csi-sidecars\.controller\.leaderElection\.enabled, because only one may run attacher, provisioner, resizer, snapshotter/,
  ],
  ["example-driver", controller({ replicas: "2" }), /controller.replicas/],
  ["example-driver", controller({ port: 70000 }), /controller.port/],
  [
    "example-driver",
    controller({ flags: { "--timeout": "1s" } }),
    /csi-sidecars\.controller\.flags\.--timeout: write the name without dashes/,
  ],
  ["example-driver", controller({ flags: { timeut: "1s" } }), /csi-sidecars\.controller\.flags\.timeut: csi-sidecars has no such flag/],
  ["example-driver", controller({ flags: { "http-endpoint": ":1" } }), /flags\.http-endpoint: set csi-sidecars\.controller\.port instead/],
  ["example-driver", controller({ flags: { controllers: "*" } }), /flags\.controllers: set csi-sidecars\.controller\.controllers instead/],
  [
    "example-driver",
    controller({ flags: { "leader-election": true } }),
    /flags\.leader-election: set csi-sidecars\.controller\.leaderElection instead/,
  ],
  [
    "example-driver",
    controller({ flags: { "feature-gates": "A=true" } }),
    /flags\.feature-gates: set csi-sidecars\.controller\.featureGates instead/,
  ],
  [
    "example-driver",
    sidecars({ node: { flags: { "kubelet-registration-path": "/x" } } }),
    /flags\.kubelet-registration-path: set csi-sidecars\.kubelet\.dir instead/,
  ],
  [
    "example-driver",
    controller({ featureGates: { Topolgy: true } }),
    /csi-sidecars\.controller\.featureGates\.Topolgy: csi-sidecars has no such feature gate: use .*Topology/,
  ],
  ["example-driver", controller({ featureGates: { Topology: "yes" } }), /featureGates.Topology/],
  [
    "example-driver",
    controller({ podDisruptionBudget: { minAvailable: 1, maxUnavailable: 1 } }),
    /csi-sidecars\.controller\.podDisruptionBudget: set minAvailable or maxUnavailable, not both/,
  ],
  [
    "example-driver",
    controller({ podDisruptionBudget: { minAvailable: 2 } }),
    /podDisruptionBudget\.minAvailable: no node could be drained: use less than the 2 replicas/,
  ],
  ["example-driver", controller({ podDisruptionBudget: { maxUnavailable: 0 } }), /podDisruptionBudget: no node could be drained/],
  ["example-driver", controller({ podDisruptionBudget: { minAvailable: "half" } }), /podDisruptionBudget.minAvailable/],
  ["example-driver", controller({ serviceAccount: { create: false } }), /csi-sidecars\.controller\.serviceAccount\.name: name the account/],
  [
    "example-driver",
    controller({ hostNetwork: true, podMonitor: { enabled: true } }),
    /csi-sidecars\.controller\.hostNetwork: the port is then open to the node alone/,
  ],
  [
    "example-driver",
    sidecars({ controller: { hostNetwork: true }, node: { hostNetwork: true } }),
    /csi-sidecars\.controller\.port: 9808 is csi-sidecars\.node\.port too, and both pods may be on the network of one node/,
  ],
  [
    "example-driver",
    controller({ hostNetwork: true, networkPolicy: { enabled: true } }),
    /csi-sidecars\.controller\.networkPolicy\.enabled: has no effect with hostNetwork/,
  ],
  [
    "example-driver",
    sidecars({ controller: { controllers: ["attacher"] }, node: { controllers: ["resizer"] } }),
    /csi-sidecars\.node\.controllers: resizer must not run on every node: list it in csi-sidecars\.controller\.controllers/,
  ],
  [
    "example-driver",
    sidecars({
      controller: { controllers: ["attacher"] },
      node: { controllers: ["provisioner"], flags: { "provisioner-node-deployment": false } },
    }),
    /csi-sidecars\.node\.flags\.node-deployment: must be true, as provisioner runs on every node/,
  ],
  [
    "example-driver",
    sidecars({ node: { controllers: ["provisioner"], flags: { "node-deployment": true } } }),
    /csi-sidecars\.node\.controllers: provisioner is in csi-sidecars\.controller\.controllers too: list it in one of them/,
  ],
  ["example-driver", controller({ port: null }), /controller.*missing property 'port'/],
  ["example-driver", controller({ serviceAccount: null }), /controller.*missing property 'serviceAccount'/],
  ["example-driver", sidecars({ node: null }), /missing property 'node'/],
  ["snapshot-controller", { webhook: null }, /missing property 'webhook'/],
  ["csi-hostpath", { hostpath: { flags: null } }, /hostpath.*missing property 'flags'/],
  ["example-driver", { drivr: {} }, /additional properties 'drivr' not allowed/i],
  ["example-driver", sidecars({ node: { replicas: 2 } }), /additional properties 'replicas' not allowed/i],
  [
    "csi-hostpath",
    controller({ replicas: 2, leaderElection: { enabled: true } }),
    /csi-sidecars\.controller\.replicas: the volumes of this driver are in one pod/,
  ],
  [
    "csi-hostpath",
    controller({ controllers: ["provisioner"] }),
    /csi-sidecars\.controller\.controllers: this pod is the node's, too: keep node-driver-registrar/,
  ],
  ["csi-hostpath", { storageClass: { reclaimPolicy: "Recycle" } }, /storageClass.reclaimPolicy/],
  [
    "snapshot-controller",
    { controller: { leaderElection: { enabled: false } } },
    /controller\.replicas: 2 replicas need controller\.leaderElection\.enabled/,
  ],
  [
    "snapshot-controller",
    { controller: { flags: { controllers: "*" } } },
    /controller\.flags\.controllers: snapshot-controller has no such flag/,
  ],
  ["snapshot-controller", webhook({}), /webhook\.certificate: set existingSecret and caBundle, or certManager\.enabled/],
  [
    "snapshot-controller",
    webhook({ certificate: { existingSecret: "x" } }),
    /webhook\.certificate\.caBundle: the API server trusts no other authority/,
  ],
  [
    "snapshot-controller",
    webhook({ certificate: { existingSecret: "x", caBundle: "AAAA" } }),
    /webhook\.certificate\.caBundle: is no certificate in PEM/,
  ],
  ["snapshot-controller", webhook({ certificate: { existingSecret: "x", ...certificate } }), /webhook\.certificate: .*not both/],
  [
    "snapshot-controller",
    webhook({ certificate }, { crds: { install: false } }),
    /webhook\.conversion: is part of a definition that this chart does not install/,
  ],
  ["snapshot-controller", webhook({ certificate, flags: { port: 1 } }), /webhook\.flags\.port: /],
  ["snapshot-controller", { crds: { instal: true } }, /additional properties 'instal' not allowed/i],
];

describe.skipIf(helmIsMissing !== "")(`values that cannot work${helmIsMissing}`, () => {
  let charts: Charts;
  beforeAll(async () => {
    charts = await Charts.copy();
  });
  afterAll(() => charts[Symbol.asyncDispose]());

  test.concurrent.each(refused)("%s refuses %j", async (chart, values, message) => {
    const { exitCode, stdout, stderr } = await charts.template(chart, values);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr.replaceAll("/", ".")).toMatch(message);
  });

  test.concurrent("one port on the network of nodes that no pods share is none of them", async () => {
    const windows = { hostNetwork: true, nodeSelector: { "kubernetes.io/os": "windows" } };
    const { exitCode } = await charts.template("example-driver", sidecars({ controller: { hostNetwork: true }, node: windows }));
    expect(exitCode).toBe(0);
  });
});
