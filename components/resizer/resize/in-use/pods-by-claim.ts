import { claimsOf, ownsClaim } from "@csi-sidecars/controller";
import { type Key, keyOf, type View } from "@csi-sidecars/kube";
import type { Claim, Pod } from "../../fields.ts";

const byClaim = "claim";

/** Whether pods use a claim; `unknown` until all pods are listed. */
export type Usage = "used" | "unused" | "unknown";

interface PodHandlers {
  /** All pods are listed. The last one that used a claim may have ended before. */
  listed(): void;
  /** The last pod that used a claim is gone or has ended. */
  unused(claim: Claim): void;
}

/**
 * Which claims pods use. Pods are watched from the first question on: most drivers expand volumes that are in use, and a cluster may
 * have very many pods.
 */
export class PodsByClaim {
  readonly #claims: { get(key: Key): Claim | undefined };
  readonly #open: () => View<Pod>;
  readonly #on: PodHandlers;
  #pods: View<Pod> | undefined;

  constructor(claims: { get(key: Key): Claim | undefined }, open: () => View<Pod>, on: PodHandlers) {
    this.#claims = claims;
    this.#open = open;
    this.#on = on;
  }

  /** Begins to watch pods, unless they are watched already. */
  watch(): void {
    this.#pods ??= this.#opened();
  }

  /** Of the claim that has this `namespace/name`. */
  usage(key: Key): Usage {
    this.watch();
    if (!this.#pods?.hasSynced()) return "unknown";
    const claim = this.#claims.get(key);
    return claim && this.#pods.byIndex(byClaim, key).some((pod) => uses(pod, claim)) ? "used" : "unused";
  }

  #opened(): View<Pod> {
    const pods = this.#open();
    pods.addIndex(byClaim, keysOf);
    pods.addHandler(
      {
        onUpdate: (old, pod) => this.#left(old, pod),
        onDelete: (pod) => this.#left(pod, undefined),
      },
      { name: "resizer" },
    );
    // It fails where the process ends before that.
    pods.waitForSync().then(this.#on.listed, () => undefined);
    return pods;
  }

  #left(old: Pod, now: Pod | undefined): void {
    for (const key of keysOf(old)) {
      const claim = this.#claims.get(key);
      const hasLeft = claim && uses(old, claim) && !(now && uses(now, claim));
      if (hasLeft && this.usage(key) === "unused") this.#on.unused(claim);
    }
  }
}

function uses(pod: Pod, claim: Claim): boolean {
  return claimsOf(pod).some(({ key, ephemeral }) => key === keyOf(claim) && (!ephemeral || ownsClaim(pod, claim)));
}

/** The keys of the claims that a pod may use. */
const keysOf = (pod: Pod): readonly Key[] => claimsOf(pod).map(({ key }) => key);
