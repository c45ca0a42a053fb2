import { wellKnownAnnotation } from "@csi-sidecars/kube";

/** `undefined`: the claim leaves the choice to the cluster. Empty: it wants a volume without class. */
export function classNameOf(object: {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: { readonly storageClassName?: string };
}): string | undefined {
  return object.metadata?.annotations?.[wellKnownAnnotation.betaClass] ?? object.spec?.storageClassName;
}
