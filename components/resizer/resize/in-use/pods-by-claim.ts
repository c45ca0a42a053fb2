import { claimsOf } from "@csi-sidecars/controller";
import type { Key, View } from "@csi-sidecars/kube";
import type { Pod } from "../../fields.ts";

const byClaim = "claim";

/** Whether pods use a claim; `unknown` until all pods are listed. */
export type Usage = "used" | "unused" | "unknown";

interface PodHandlers {
  /** All pods are listed: the last pod that used a claim may have ended before. */
  listed(): void;
  /** The last pod that used a claim, by `namespace/name`, is gone or has ended. */
  unused(claim: Key): void;
}

/**
 * Which claims pods use. Pods are watched from the first question on: most drivers expand volumes that are in use, and a cluster may
 * have very many pods.
 */
export class PodsByClaim {
  readonly #open: () => View<Pod>;
  readonly #on: PodHandlers;
  #pods: View<Pod> | undefined;

  constructor(open: () => View<Pod>, on: PodHandlers) {
    this.#open = open;
    this.#on = on;
  }

  /** Begins to watch pods, unless they are watched already. */
  watch(): void {
    this.#pods ??= this.#opened();
  }

  usage(claim: Key): Usage {
    this.watch();
    if (!this.#pods?.hasSynced()) return "unknown";
    return this.#pods.byIndex(byClaim, claim).length > 0 ? "used" : "unused";
  }

  #opened(): View<Pod> {
    const pods = this.#open();
    pods.addIndex(byClaim, keysOf);
    pods.addHandler(
      {
        onUpdate: (old, pod) => this.#left(old, keysOf(pod)),
        onDelete: (pod) => this.#left(pod, []),
      },
      { name: "resizer" },
    );
    // It fails where the process ends before that.
    pods.waitForSync().then(this.#on.listed, () => undefined);
    return pods;
  }

  #left(old: Pod, now: readonly Key[]): void {
    for (const claim of keysOf(old)) {
      if (!now.includes(claim) && this.usage(claim) === "unused") this.#on.unused(claim);
    }
  }
}

/** The keys of the claims that a pod uses. */
const keysOf = (pod: Pod): readonly Key[] => claimsOf(pod).map(({ key }) => key);
