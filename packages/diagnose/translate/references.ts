import { ownValue } from "@csi-sidecars/base";
import { type Fields, fieldsAt, listAt, textAt } from "./container.ts";
import { type Manifest, titleOf, type Workload } from "./manifests.ts";
import type { LostPort } from "./ports.ts";

/** What else in the input refers to ports that nothing answers on any more. */
export function danglingReferences(manifests: readonly Manifest[], workload: Workload, lost: readonly LostPort[]): readonly string[] {
  if (lost.length === 0) return [];
  const labels = fieldsAt(workload.object, "spec", "template", "metadata", "labels") ?? {};
  return manifests.flatMap((manifest) => {
    const spec = fieldsAt(manifest.object, "spec");
    if (manifest.kind === "Service" && selects(fieldsAt(spec, "selector"), labels)) {
      const ports = listAt(spec, "ports").filter((port) => refersTo(lost, port.targetPort ?? port.port));
      return ports.map(
        (port) =>
          `${titleOf(manifest)}: port ${textAt(port, "name") ?? String(port.port)} leads to a port that is gone; metrics are on one port now`,
      );
    }
    if (manifest.kind === "PodMonitor" && selects(fieldsAt(spec, "selector", "matchLabels"), labels)) {
      const ends = listAt(spec, "podMetricsEndpoints").filter((end) => refersTo(lost, end.port ?? end.targetPort));
      return ends.map((end) => `${titleOf(manifest)}: endpoint ${String(end.port ?? end.targetPort)} is gone; metrics are on one port now`);
    }
    return [];
  });
}

const refersTo = (lost: readonly LostPort[], port: unknown) =>
  lost.some(({ name, port: number }) => port === number || (name !== undefined && port === name));

function selects(selector: Fields | undefined, labels: Fields): boolean {
  const pairs = Object.entries(selector ?? {});
  return pairs.length > 0 && pairs.every(([name, value]) => ownValue(labels, name) === value);
}
