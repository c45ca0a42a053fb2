/** How an informer fares, for readiness reports. */
export interface InformerStatus {
  /** `idle`: not started; `syncing`: the first list is not complete; `synced`: it is, and changes are followed. */
  readonly state: "idle" | "syncing" | "synced" | "stopped";
  /** Wall time in milliseconds since which the state holds. */
  readonly since: number;
  readonly objects: number;
  readonly resourceVersion: string;
  /** What keeps failing; gone as soon as a watch is open again. `since` is when it began. */
  readonly failing?: { readonly error: Error; readonly since: number };
}
