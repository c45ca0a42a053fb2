import type { Key } from "@csi-sidecars/kube";
import type { Claim } from "./fields.ts";

/**
 * The queue key of a claim: `namespace/name/uid`. A claim that is deleted and made anew under the same name has another key, and so
 * inherits neither backoff nor anything else that is remembered by key.
 */
export function claimKey({ metadata: { namespace, name, uid } }: Claim): Key {
  return `${namespace}/${name}/${uid}`;
}

/** `namespace/name`, as people and caches know the claim. */
export function claimName(key: Key): Key {
  return key.slice(0, key.lastIndexOf("/"));
}

/** The claim that has the key; `undefined` if it is gone, even if another one has its name now. */
export function findClaim(claims: { get(key: Key): Claim | undefined }, key: Key): Claim | undefined {
  const claim = claims.get(claimName(key));
  return claim && claimKey(claim) === key ? claim : undefined;
}
