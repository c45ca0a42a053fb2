import { uuidLengthProblem } from "@csi-sidecars/controller";
import {
  aboveZero,
  bool,
  type ComponentContext,
  duration,
  type FlagTable,
  float,
  int,
  kubeApiFlags,
  notBelowZero,
  retryFlags,
  text,
  uint,
} from "@csi-sidecars/host";
import { prefixProblem } from "./volume-name.ts";

const positive = { check: aboveZero };
const maybeNothing = { check: notBelowZero };

/** The flags that upstream's provisioner has of its own, with its defaults. */
export const provisionerFlags = {
  timeout: duration("10s", "Time limit of each call to the CSI driver.", { follows: "timeout", ...positive }),
  ...retryFlags,
  "worker-threads": uint(100, "How many volumes are created, and how many are deleted, at the same time, while the driver keeps up.", {
    follows: "worker-threads",
    ...positive,
  }),
  "volume-name-prefix": text("pvc", "Prefix of volume names.", { check: prefixProblem }),
  "volume-name-uuid-length": int(-1, "How much of the claim's uid, without dashes, is in the volume's name; -1 for all of it.", {
    check: uuidLengthProblem,
  }),
  "default-fstype": text("", "File system type of new volumes whose class names none."),
  "extra-create-metadata": bool(false, "Pass names and namespaces of Kubernetes objects to the driver in create requests.", {
    follows: "extra-create-metadata",
  }),
  "controller-publish-readonly": bool(false, "Mark volumes of claims that only read (ReadOnlyMany) as read-only."),
  "prevent-volume-mode-conversion": bool(
    true,
    "Refuse to restore a snapshot to a volume mode other than its source's, unless the snapshot allows it.",
  ),
  "in-progress-finalizer": bool(
    false,
    "Put a finalizer on claims while the driver may be creating their volume, so that no volume is orphaned if the claim is deleted and the process restarted.",
    { individual: false },
  ),
  "cleanup-orphaned-volumes": bool(
    false,
    "At the start, ask the driver for the volumes of claims that were deleted unbound in the last minutes, and delete what it has created for them.",
    { individual: false, allInOne: true },
  ),
  "cloning-protection-threads": uint(1, "How many clone sources are released at the same time.", positive),
  "snapshot-orphan-sweep-interval": duration(
    "5m",
    "Interval at which snapshots whose restore has ended are looked for and released; 0 for never.",
  ),
  "strict-topology": bool(false, "WaitForFirstConsumer: ask only for the topology of the selected node."),
  "immediate-topology": bool(true, "Immediate binding: ask for the topologies of all nodes; otherwise for none."),
  "node-deployment": bool(
    false,
    "Run on every node, each instance for the volumes of its node; needs the environment variable NODE_NAME.",
    {
      follows: "node-deployment",
    },
  ),
  "node-deployment-immediate-binding": bool(true, "Node deployment: also serve claims with immediate binding."),
  "node-deployment-base-delay": duration(
    "20s",
    "Node deployment: first delay before an instance tries to become a claim's owner.",
    maybeNothing,
  ),
  "node-deployment-max-delay": duration("60s", "Node deployment: longest such delay.", maybeNothing),
  "enable-capacity": bool(false, "Publish CSIStorageCapacity objects; needs the environment variables NAMESPACE and POD_NAME."),
  "capacity-threads": uint(1, "How many capacities are looked up at the same time.", positive),
  "capacity-poll-interval": duration("1m", "Period after which all capacities are looked up again.", positive),
  "capacity-for-immediate-binding": bool(false, "Publish capacity for classes with immediate binding too."),
  "capacity-ownerref-level": int(
    1,
    "Who owns the capacity objects: 0 the pod, 1 its controller, 2 the controller of that one, ...; -1 nobody.",
  ),
  "kube-api-capacity-qps": float(1, "Requests per second to the API server for capacity objects; negative for no limit."),
  "kube-api-capacity-burst": int(5, "Requests to the API server for capacity objects that may be sent at once."),
  ...kubeApiFlags,
} satisfies FlagTable;

export type ProvisionerComponentContext = ComponentContext<typeof provisionerFlags>;
