interface Schema {
  readonly type?: unknown;
  readonly [keyword: string]: unknown;
}

const text = { type: "string" };
const flag = { type: "boolean" };
const objects = { type: "array", items: { type: "object" } };
const texts = { type: "object", additionalProperties: text };
const anything = { type: "object" };
const port = { type: "integer", minimum: 1, maximum: 65535 };
const namespace = { type: "string", pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$", maxLength: 63 };
const amount = { type: ["integer", "string", "null"], minimum: 0, pattern: "^[0-9]+%$" };

/** What Helm adds, and not always. */
const added = new Set(["global", "csi-sidecars"]);

/** These properties, all of which have defaults, and no others: a value that is misspelt, or removed by `null`, is refused. */
function only(properties: Readonly<Record<string, Schema>>): Schema {
  const mayBeNull = ({ type }: Schema) => Array.isArray(type) && type.includes("null");
  const required = Object.keys(properties).filter((name) => !added.has(name) && !mayBeNull(properties[name] ?? {}));
  return { type: "object", additionalProperties: false, required, properties };
}
const oneOf = (...values: readonly string[]) => ({ type: "string", enum: values });

const image = only({
  registry: text,
  repository: { type: "string", minLength: 1 },
  tag: { type: "string", pattern: "^[A-Za-z0-9_.-]*$" },
  digest: { type: "string", pattern: "^(sha256:[a-f0-9]{64})?$" },
  pullPolicy: oneOf("Always", "IfNotPresent", "Never"),
});

const flags = { type: "object", additionalProperties: { type: ["string", "number", "boolean", "null"] } };

/** What all pods have. */
const pod = {
  port,
  flags,
  featureGates: { type: "object", additionalProperties: { type: ["boolean", "null"] } },
  hostNetwork: flag,
  resources: anything,
  podSecurityContext: anything,
  securityContext: anything,
  env: objects,
  volumeMounts: objects,
  terminationGracePeriodSeconds: { type: "integer", minimum: 0 },
  priorityClassName: text,
  nodeSelector: texts,
  tolerations: objects,
  affinity: anything,
  podLabels: texts,
  podAnnotations: texts,
  serviceAccount: only({ create: flag, name: text, annotations: texts }),
  service: only({ enabled: flag, annotations: texts }),
  podMonitor: only({ enabled: flag, interval: { type: "string", pattern: "^[0-9]+(ms|s|m|h)$" }, labels: texts }),
  networkPolicy: only({ enabled: flag, from: objects, ingress: objects, egress: objects }),
};

/** What pods have beside it that run once, with replicas. */
const replicas = {
  replicas: { type: "integer", minimum: 0 },
  topologySpreadConstraints: objects,
  podDisruptionBudget: only({ enabled: flag, minAvailable: amount, maxUnavailable: amount }),
};
const leaderElection = only({ enabled: flag, namespace });

/** The pods of a driver. Which controllers there are, the templates know. */
const sidecars = {
  enabled: flag,
  controllers: { type: "array", items: text },
  socket: { type: "string", pattern: "^/.+/[^/]+$" },
};

const library = only({
  driver: only({ name: { type: "string", maxLength: 63, pattern: "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$" } }),
  image,
  imagePullSecrets: objects,
  fullnameOverride: text,
  kubelet: only({ dir: { type: "string", pattern: "^/.*[^/]$" } }),
  rbac: only({
    create: flag,
    namePrefix: text,
    secrets: oneOf("cluster", "namespaces", "none"),
    secretNamespaces: { type: "array", items: { ...namespace, minLength: 1 } },
  }),
  controller: only({ ...pod, ...replicas, ...sidecars, leaderElection }),
  node: only({ ...pod, ...sidecars, serviceAccount: only({ create: flag, name: text, annotations: texts, automountToken: flag }) }),
  global: anything,
});

const snapshotController = only({
  imagePullSecrets: objects,
  fullnameOverride: text,
  crds: only({ install: flag }),
  rbac: only({ create: flag }),
  controller: only({ ...pod, ...replicas, image, leaderElection }),
  webhook: only({
    ...pod,
    ...replicas,
    image,
    enabled: flag,
    certificate: only({ existingSecret: text, caBundle: text, certManager: only({ enabled: flag, issuerRef: anything }) }),
    conversion: flag,
    failurePolicy: oneOf("Ignore", "Fail"),
    timeoutSeconds: { type: "integer", minimum: 1, maximum: 30 },
  }),
  "csi-sidecars": anything,
  global: anything,
});

const hostpath = only({
  hostpath: only({ image, dataDir: { type: "string", pattern: "^/.+" }, flags, resources: anything }),
  storageClass: only({
    create: flag,
    name: text,
    default: flag,
    reclaimPolicy: oneOf("Delete", "Retain"),
    volumeBindingMode: oneOf("Immediate", "WaitForFirstConsumer"),
    allowVolumeExpansion: flag,
    parameters: texts,
  }),
  volumeSnapshotClass: only({ create: flag, name: text, deletionPolicy: oneOf("Delete", "Retain") }),
  "csi-sidecars": anything,
  global: anything,
});

const example = only({
  driver: only({ image: { type: "string", minLength: 1 }, resources: anything }),
  "csi-sidecars": anything,
  global: anything,
});

/** The schemas of the charts' values, by the names of the charts. */
export const chartSchemas: ReadonlyMap<string, Schema> = new Map(
  Object.entries({
    "csi-sidecars": library,
    "snapshot-controller": snapshotController,
    "csi-hostpath": hostpath,
    "example-driver": example,
  }).map(([name, schema]) => [
    name,
    { $schema: "http://json-schema.org/draft-07/schema#", title: `Values of the chart ${name}`, ...schema },
  ]),
);
