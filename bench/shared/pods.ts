import { type Client, mergePatch, Pod, type V1Pod } from "@csi-sidecars/kube";
import { attachedVolume, volumeNode } from "./volumes.ts";

/** Makes a running pod that uses the claim number `claim`. */
export async function createPod(admin: Client, claim: number): Promise<void> {
  const { status, ...pod } = podUsing(claim);
  await admin.create(Pod, pod);
  const { name = "", namespace } = pod.metadata;
  await admin.patch(Pod, { name, namespace }, mergePatch({ status }), { subresource: "status" });
}

/** A running pod of usual size. */
export function podUsing(claim: number): V1Pod & Required<Pick<V1Pod, "metadata" | "spec" | "status">> {
  const { name = "", namespace, labels } = attachedVolume(claim).claim.metadata ?? {};
  const token = { name: "kube-api-access", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true };
  return {
    metadata: { name: `pod-${name}`, namespace, labels: { ...labels, "pod-template-hash": "7c5ddbdf54" } },
    spec: {
      nodeName: volumeNode(claim),
      containers: ["app", "proxy"].map((container) => ({
        name: container,
        image: `registry.example.com/team/${container}:v1.2.3`,
        args: ["--config=/etc/app/config.yaml", "--listen=:8080", "--verbosity=2"],
        env: ["HOST", "PORT", "REGION", "ZONE", "LOG_FORMAT"].map((variable) => ({ name: variable, value: `value of ${variable}` })),
        ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
        resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
        readinessProbe: { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 10 },
        volumeMounts: [{ name: "data", mountPath: "/data" }, token],
      })),
      tolerations: ["not-ready", "unreachable"].map((key) => ({
        ...{ key: `node.kubernetes.io/${key}`, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
      })),
      volumes: [
        { name: "data", persistentVolumeClaim: { claimName: name } },
        { name: token.name, projected: { sources: [{ configMap: { name: "kube-root-ca.crt" } }] } },
      ],
    },
    status: {
      phase: "Running",
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({ type, status: "True" })),
      containerStatuses: ["app", "proxy"].map((container) => ({
        name: container,
        image: `registry.example.com/team/${container}:v1.2.3`,
        imageID: `registry.example.com/team/${container}@sha256:${"0123456789abcdef".repeat(4)}`,
        containerID: `containerd://${"fedcba9876543210".repeat(4)}`,
        ...{ ready: true, restartCount: 0, started: true },
      })),
    },
  };
}
