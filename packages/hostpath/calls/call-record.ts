import { ownValue } from "@csi-sidecars/base";
import type { ProtoJson } from "./proto-json.ts";

/** One call, as it is recorded. */
export interface CallRecord {
  /** Counts from 1; also the id by which a held call is released. */
  readonly sequence: number;
  readonly method: string;
  readonly request: ProtoJson;
  /** How long the client was ready to wait; none when it set no deadline. */
  readonly timeoutMs?: number;
  /** Which of the clients' connections it came by, counted from 1. */
  readonly connection: number;
  /** Wall time in nanoseconds since the epoch. */
  readonly startNs: number;
  /** None while the call is under way. */
  readonly endNs?: number;
  readonly response?: ProtoJson;
  /** 0 when it was answered with success. */
  readonly code?: number;
  readonly message?: string;
  /** The fault rule that was applied. */
  readonly rule?: string;
  /** How a held call ended. */
  readonly held?: "released" | "deadline" | "cancelled";
  /** Whether the client had given up before it was answered. */
  readonly cancelled?: boolean;
}

/** Methods that change nothing: they may overlap. */
const reading = /^(Get|List|Probe|Validate|ControllerGet|GroupControllerGet|NodeGet)/;

/** The volume or snapshot that a call changes; undefined if it changes none. */
export function subjectOf(method: string, request: ProtoJson): string | undefined {
  if (reading.test(method)) return undefined;
  const id = request.volume_id ?? request.snapshot_id ?? request.group_snapshot_id;
  if (typeof id === "string") return id;
  return typeof request.name === "string" ? `${method} ${request.name}` : undefined;
}

/** The ids of volumes and snapshots in a request and its response. */
export function idsIn(request: ProtoJson, answer: object | undefined): string[] {
  const found: string[] = [];
  const collect = (value: unknown) => {
    if (Array.isArray(value)) for (const item of value) collect(item);
    else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        if (typeof inner === "string") {
          if (key === "volumeId" || key === "snapshotId" || key === "groupSnapshotId") found.push(inner);
        } else collect(inner);
      }
    }
  };
  collect(answer);
  for (const key of ["volume_id", "snapshot_id", "group_snapshot_id"]) {
    const id = ownValue(request, key);
    if (typeof id === "string") found.push(id);
  }
  return found;
}
