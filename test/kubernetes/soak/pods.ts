import type { V1Pod } from "@csi-sidecars/kube";

export const soakNamespace = "soak";

/** One of the images that the node has for upstream's suite. */
export type BusyboxImage = string;

/** What a pod does with the volume of a claim. It succeeds only if the volume holds what it should. */
export type PodTask = { readonly write: string } | { readonly read: string } | { readonly hold: string };

/** A pod that mounts a claim's volume. */
export function podFor(name: string, claim: string, task: PodTask, image: BusyboxImage): V1Pod {
  return {
    metadata: { namespace: soakNamespace, name },
    spec: {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: "task",
          image,
          command: ["sh", "-c", script(task)],
          volumeMounts: [{ name: "volume", mountPath: "/data" }],
        },
      ],
      volumes: [{ name: "volume", persistentVolumeClaim: { claimName: claim } }],
    },
  };
}

function script(task: PodTask): string {
  if ("write" in task) return `echo ${task.write} > /data/token && sync && grep -qx ${task.write} /data/token`;
  if ("read" in task) return `grep -qx ${task.read} /data/token`;
  return `grep -qx ${task.hold} /data/token && { trap exit TERM; sleep 86400 & wait; }`;
}
