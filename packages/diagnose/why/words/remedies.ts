import type { Sidecar } from "../responsible-sidecar.ts";

/** Errors of the API server that sidecars pass on; their own messages are declared by the sidecars. */
const forbidden = /is forbidden|cannot (get|list|create|update|patch|delete) resource/i;
const notFound: readonly (readonly [RegExp, string])[] = [
  [
    /volumeattributesclass(es)?(\.storage\.k8s\.io)? "[^"]*" not found/i,
    "create that VolumeAttributesClass, or name an existing one in the claim",
  ],
  [
    /(csi)?nodes?(\.storage\.k8s\.io)? "[^"]*" not found/i,
    "check that the node exists, and that the driver's node pod runs and has registered on it",
  ],
];

/** What to do about an error that a sidecar found before it called the driver, or in the driver's answer. */
export function remedyFor(message: string, sidecar: Pick<Sidecar, "remedies"> | undefined): string {
  if (forbidden.test(message)) return "grant the driver's service account that permission (csi-sidecars rbac prints the rules)";
  const own = sidecar?.remedies?.find(({ messages }) => messages.some((each) => each.isIn(message)));
  return own?.remedy ?? notFound.find(([pattern]) => pattern.test(message))?.[1] ?? "fix what the message says; the operation is retried";
}
