import { Code, type CodeName } from "@csi-sidecars/csi";
import type { VolumeOperation } from "@csi-sidecars/host";
import { plain } from "../../text.ts";
import type { ResponsibleFor } from "../responsible-sidecar.ts";
import { remedyFor } from "./remedies.ts";

/** An error in plain words. */
interface ExplainedError {
  /** What happened, with the gRPC code where the driver answered one. */
  readonly cause: string;
  readonly remedy: string;
}

interface Words {
  readonly meaning: string;
  readonly remedy: string;
}

const checkLog = "check the driver's log at that time";

const general: Readonly<Record<CodeName, Words>> = {
  OK: { meaning: "the driver reported an error without a code", remedy: checkLog },
  Canceled: { meaning: "the call was cancelled, as when a sidecar is stopped; it is retried", remedy: "wait for the next attempt" },
  Unknown: { meaning: "the driver failed with an error of unknown kind", remedy: checkLog },
  InvalidArgument: {
    meaning: "the driver rejects the request; a retry will not help",
    remedy: "change what it complains about: class parameters, size, access mode",
  },
  DeadlineExceeded: {
    meaning: "the driver did not answer in time; it may still be working, and the call is retried",
    remedy: "check whether the driver or the storage is slow or hangs; if it is only slow, raise --timeout",
  },
  NotFound: {
    meaning: "the storage does not have what the request names",
    remedy: "check the storage for the volume, node or source in the message",
  },
  AlreadyExists: {
    meaning: "the storage has something else under that name",
    remedy: "check the storage for the volume of that name; it was created with other parameters",
  },
  PermissionDenied: {
    meaning: "the storage does not allow the driver to do this",
    remedy: "check the credentials and permissions of the driver at the storage",
  },
  ResourceExhausted: {
    meaning: "the storage has no capacity left, or a quota is exceeded",
    remedy: "free or add capacity, or raise the quota",
  },
  FailedPrecondition: {
    meaning: "something else has to be done or undone first",
    remedy: "do what the message says; then the call is retried",
  },
  Aborted: {
    meaning: "another operation on the same volume is in progress; the call is retried",
    remedy: "wait; if it stays so, restart the driver",
  },
  OutOfRange: {
    meaning: "the storage does not offer the requested size",
    remedy: "request a size within the limits of the storage",
  },
  Unimplemented: { meaning: "the driver does not support this", remedy: "use another driver or class, or do without" },
  Internal: { meaning: "the driver failed with an internal error", remedy: checkLog },
  Unavailable: {
    meaning: "the driver or its storage is not reachable now; the call is retried",
    remedy: "check that the driver's container runs and that it reaches its storage",
  },
  DataLoss: { meaning: "the storage reports data loss", remedy: "check the storage before anything else" },
  Unauthenticated: {
    meaning: "the storage does not accept the driver's credentials",
    remedy: "check the secret that the class or the driver's deployment names",
  },
};

const snapshotNameTaken: Words = {
  meaning: "the storage has a snapshot of that name, of another volume or with other parameters",
  remedy: "check the storage for the snapshot of that name",
};

const snapshotInUse: Words = {
  meaning: "something still depends on the snapshot",
  remedy: "delete the volumes that were restored from it, or what else the message names",
};

const ofSnapshots: Partial<Readonly<Record<CodeName, Words>>> = {
  InvalidArgument: {
    meaning: "the driver rejects the request; a retry will not help",
    remedy: "change what it complains about, such as the parameters of the class, and take the snapshot again",
  },
  NotFound: {
    meaning: "the storage does not have what the request names",
    remedy: "check the storage for the volume or snapshot in the message",
  },
  ResourceExhausted: {
    meaning: "the storage has no room for another snapshot, or a limit is reached",
    remedy: "free or add capacity, delete old snapshots, or raise the limit",
  },
  OutOfRange: { meaning: "the storage has no room for the snapshot", remedy: "free or add capacity" },
};

const special: Partial<Readonly<Record<VolumeOperation, Partial<Readonly<Record<CodeName, Words>>>>>> = {
  attach: {
    ResourceExhausted: {
      meaning: "the node has as many volumes as the driver allows",
      remedy: "move pods to other nodes, or detach volumes from this one",
    },
    FailedPrecondition: {
      meaning: "the volume cannot be attached now, for example because it is attached to another node",
      remedy: "see where the volume is attached; stop the pod there first",
    },
    NotFound: {
      meaning: "the storage does not know the volume or the node",
      remedy: "check the storage for the volume; `csi-sidecars audit` compares all of them",
    },
  },
  create: {
    OutOfRange: {
      meaning: "the storage does not offer the requested size",
      remedy: "recreate the claim with a size within the limits of the storage",
    },
  },
  delete: {
    FailedPrecondition: {
      meaning: "the volume is still in use, or has snapshots that must be deleted first",
      remedy: "delete what depends on the volume",
    },
  },
  expand: {
    FailedPrecondition: {
      meaning: "the volume cannot be expanded while it is in use",
      remedy: "stop the pods that use the claim until the volume is expanded",
    },
    InvalidArgument: {
      meaning: "the driver rejects this size",
      remedy: "lower the request to a size that is offered, above the present one",
    },
  },
  modify: {
    InvalidArgument: {
      meaning: "the driver rejects the parameters of the VolumeAttributesClass",
      remedy: "name another class in spec.volumeAttributesClassName",
    },
  },
  snapshot: { ...ofSnapshots, AlreadyExists: snapshotNameTaken },
  groupSnapshot: {
    ...ofSnapshots,
    AlreadyExists: snapshotNameTaken,
    FailedPrecondition: {
      meaning: "the driver cannot take snapshots of these volumes together",
      remedy: "do what the message says, or select claims whose volumes the storage can snapshot at one moment",
    },
  },
  deleteSnapshot: { FailedPrecondition: snapshotInUse },
  deleteGroupSnapshot: { FailedPrecondition: snapshotInUse },
};

/** gRPC itself fails with ResourceExhausted when an answer is above the limit of the caller: that says nothing about the storage. */
const tooLarge: Words = {
  meaning: "the answer of the driver was larger than the sidecar accepts",
  remedy: "check the driver's log: no answer needs to be that large, and lists can be answered in pages",
};

/** Explains the text of an event or a status that a sidecar wrote about an operation: the driver's answer, or its own finding. */
export function explainError(operation: VolumeOperation, text: string, responsibleFor: ResponsibleFor): ExplainedError {
  const code = /rpc error: code = (\w+) desc = /.exec(text)?.[1] ?? "";
  if (!isCodeName(code)) return { cause: plain(text), remedy: remedyFor(text, responsibleFor(operation)?.sidecar) };
  const { meaning, remedy } = isTooLarge(text) ? tooLarge : (special[operation]?.[code] ?? general[code]);
  return { cause: `${meaning} (${code})`, remedy };
}

function isTooLarge(text: string): boolean {
  return text.includes("code = ResourceExhausted desc = grpc: received message larger than max");
}

function isCodeName(name: string): name is CodeName {
  return Object.hasOwn(Code, name);
}
