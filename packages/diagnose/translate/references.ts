import { type LabelSelector, matchesLabels } from "@csi-sidecars/kube";
import { type Fields, fieldsAt, listAt, staticVariables, textAt, wordsAt } from "./container.ts";
import { type Manifest, titleOf, type Workload } from "./manifests.ts";
import type { LostPort } from "./ports.ts";

/** What a translation takes away, that others may refer to. */
export interface Gone {
  /** Ports that nothing answers on any more. */
  readonly ports: readonly LostPort[];
  /** The names of the containers that were replaced. */
  readonly containers: readonly string[];
}

/** What else in the input refers to ports and containers that are gone. */
export function danglingReferences(manifests: readonly Manifest[], workload: Workload, gone: Gone): readonly string[] {
  const labels = labelsOf(fieldsAt(workload.object, "spec", "template"));
  const services = manifests
    .filter(({ kind }) => kind === "Service")
    .filter(({ object }) => isChosen(fieldsAt(object, "spec", "selector"), labels))
    .map((service) => ({ service, lost: lostServicePorts(service, gone.ports) }));
  return [
    ...neighbourWarnings(workload, gone),
    ...services.flatMap(({ service, lost }) =>
      lost.map(
        (port) =>
          `${titleOf(service)}: port ${textAt(port, "name") ?? String(port.port)} leads to a port that is gone; metrics are on one port now`,
      ),
    ),
    ...manifests.flatMap((manifest) => {
      const spec = fieldsAt(manifest.object, "spec");
      const selector = fieldsAt(spec, "selector") as LabelSelector | undefined;
      switch (manifest.kind) {
        case "PodMonitor":
          return selector && matchesLabels(selector, labels)
            ? monitorWarnings(manifest, listAt(spec, "podMetricsEndpoints"), gone, (end) =>
                refersTo(gone.ports, end.port ?? end.targetPort),
              )
            : [];
        case "ServiceMonitor": {
          const scraped = services.filter(({ service }) => selector && matchesLabels(selector, labelsOf(service.object)));
          if (scraped.length === 0) return [];
          const lost = scraped.flatMap((each) => each.lost);
          return monitorWarnings(manifest, listAt(spec, "endpoints"), gone, (end) =>
            end.port === undefined ? refersTo(gone.ports, end.targetPort) : lost.some(({ name }) => name === end.port),
          );
        }
        case "NetworkPolicy":
          return policyWarnings(manifest, workload, labels, gone.ports);
        case "VerticalPodAutoscaler":
          return autoscalerWarnings(manifest, workload, gone.containers);
        default:
          return [];
      }
    }),
  ];
}

/** Other containers of the pod that connect to a port which is gone: proxies in front of metrics, for example. */
function neighbourWarnings({ pod }: Workload, { ports, containers }: Gone): readonly string[] {
  return listAt(pod, "containers")
    .filter((container) => !containers.includes(textAt(container, "name") ?? ""))
    .flatMap((container) =>
      [...wordsAt(container, "command"), ...wordsAt(container, "args"), ...staticVariables(container).values()]
        .filter((word) => localPorts(word).some((port) => refersTo(ports, port)))
        .map((word) => `${textAt(container, "name")}: ${word} leads to a port that is gone; metrics are on one port now`),
    );
}

/** The ports of the pod's own addresses in a text. */
const localPorts = (text: string) =>
  [...text.matchAll(/(?:localhost|127\.0\.0\.1|\[::1\]|\)|^|[\s=/]):(\d{1,5})(?!\d)/g)].map(([, port]) => Number(port));

const labelsOf = (object: Fields | undefined) => (fieldsAt(object, "metadata", "labels") ?? {}) as Readonly<Record<string, string>>;

/** Whether the selector of a Service chooses; without one it chooses nothing. */
function isChosen(matchLabels: Fields | undefined, labels: Readonly<Record<string, string>>): boolean {
  return matchLabels !== undefined && Object.keys(matchLabels).length > 0 && matchesLabels({ matchLabels } as LabelSelector, labels);
}

function lostServicePorts({ object }: Manifest, lost: readonly LostPort[]): readonly Fields[] {
  return listAt(fieldsAt(object, "spec"), "ports").filter((port) => refersTo(lost, port.targetPort ?? port.port));
}

const refersTo = (lost: readonly LostPort[], port: unknown) =>
  lost.some(({ name, port: number }) => port === number || (name !== undefined && port === name));

/** Endpoints that are gone, and those whose relabelings ask for a container that is gone. */
function monitorWarnings(manifest: Manifest, ends: readonly Fields[], gone: Gone, isLost: (end: Fields) => boolean): readonly string[] {
  return ends.flatMap((end) => {
    const name = String(end.port ?? end.targetPort);
    if (isLost(end)) return [`${titleOf(manifest)}: endpoint ${name} is gone; metrics are on one port now`];
    const named = [...listAt(end, "relabelings"), ...listAt(end, "metricRelabelings")].flatMap(({ regex }) =>
      gone.containers.filter((container) => typeof regex === "string" && regex.split(/[^\w.-]+/).includes(container)),
    );
    return [...new Set(named)].map(
      (container) => `${titleOf(manifest)}: a relabeling of endpoint ${name} names container ${container}, which is csi-sidecars now`,
    );
  });
}

function policyWarnings(
  manifest: Manifest,
  workload: Workload,
  labels: Readonly<Record<string, string>>,
  lost: readonly LostPort[],
): readonly string[] {
  const spec = fieldsAt(manifest.object, "spec");
  const isMeant =
    manifest.namespace === workload.namespace && matchesLabels((fieldsAt(spec, "podSelector") ?? {}) as LabelSelector, labels);
  const ports = isMeant ? listAt(spec, "ingress").flatMap((rule) => listAt(rule, "ports")) : [];
  return ports
    .filter(({ port, endPort }) => endPort === undefined && refersTo(lost, port))
    .map(({ port }) => `${titleOf(manifest)}: port ${String(port)} is gone; metrics are on one port now`);
}

function autoscalerWarnings(manifest: Manifest, workload: Workload, containers: readonly string[]): readonly string[] {
  const spec = fieldsAt(manifest.object, "spec");
  const target = fieldsAt(spec, "targetRef");
  if (target?.kind !== workload.kind || target.name !== workload.name || manifest.namespace !== workload.namespace) return [];
  return listAt(fieldsAt(spec, "resourcePolicy"), "containerPolicies").flatMap(({ containerName }) =>
    containers.includes(String(containerName))
      ? [`${titleOf(manifest)}: the policy of container ${String(containerName)} has no effect: it is csi-sidecars now`]
      : [],
  );
}
