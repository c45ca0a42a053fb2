import { goQuote } from "@csi-sidecars/base";
import type { Unstructured } from "../review/unstructured.ts";
import { hideInfoList, showInfoList } from "./info-list.ts";

const [v1beta1, v1beta2, v1] = ["v1beta1", "v1beta2", "v1"].map((version) => `groupsnapshot.storage.k8s.io/${version}`);
const versions = new Set<unknown>([v1beta1, v1beta2, v1]);

/** Kinds whose versions differ in nothing but their validation. */
const sameInAllVersions = new Set<unknown>(["VolumeGroupSnapshot", "VolumeGroupSnapshotClass"]);

/** The object in another version of its group. Throws, with the message for the API server, where there is no such conversion. */
export function convertObject(object: Unstructured & { readonly kind: string }, to: string): Unstructured {
  const { kind, apiVersion } = object;
  const from = typeof apiVersion === "string" ? apiVersion : "";
  if (from === to) throw new Error(`conversion from a version to itself should not call the webhook: ${to}`);
  if (kind !== "VolumeGroupSnapshotContent" && !sameInAllVersions.has(kind)) throw new Error(`unexpected conversion kind ${goQuote(kind)}`);
  if (!versions.has(from) || !versions.has(to)) {
    throw new Error(`unexpected conversion version from ${goQuote(from)} to ${goQuote(to)}`);
  }
  return { ...statusFor(object, kind, from, to), apiVersion: to };
}

/** v1 and v1beta2 are the same; v1beta1 has another status. */
function statusFor(object: Unstructured, kind: string, from: string, to: string): Unstructured {
  if (sameInAllVersions.has(kind)) return object;
  if (to === v1beta1) return hideInfoList(object);
  return from === v1beta1 ? showInfoList(object) : object;
}
