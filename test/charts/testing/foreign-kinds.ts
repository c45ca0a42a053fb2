/** Kinds of the Prometheus operator and of cert-manager, with the fields that the charts write: others are refused. */
export const foreignDefinitions = [
  definition("monitoring.coreos.com", "PodMonitor", "podmonitors", {
    selector: labelSelector(),
    podMetricsEndpoints: list({ port: text(), path: text(), interval: text() }),
  }),
  definition("cert-manager.io", "Issuer", "issuers", { selfSigned: object({}) }),
  definition("cert-manager.io", "Certificate", "certificates", {
    secretName: text(),
    dnsNames: { type: "array", items: text() },
    issuerRef: object({ kind: text(), name: text(), group: text() }),
  }),
];

function definition(group: string, kind: string, plural: string, spec: object) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: object({ spec: object(spec) }) } }],
    },
  };
}

function object(properties: object) {
  return { type: "object", properties };
}

function list(properties: object) {
  return { type: "array", items: object(properties) };
}

function text() {
  return { type: "string" };
}

function labelSelector() {
  return object({ matchLabels: { type: "object", additionalProperties: text() } });
}
