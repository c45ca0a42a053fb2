import { fstatSync, ftruncateSync, openSync } from "node:fs";
import { descriptorSink, type Sink } from "@csi-sidecars/host/plain-program";

/** Appends to a file. One that has reached its limit starts anew, as klog's does: the disk of a node must not fill up with a log. */
export function logFile(path: string, maxBytes: number): Sink {
  const descriptor = openSync(path, "a", 0o640);
  const sink = descriptorSink(descriptor);
  let size = fstatSync(descriptor).size;
  return {
    write(text) {
      const added = Buffer.byteLength(text);
      if (maxBytes > 0 && size > 0 && size + added > maxBytes) {
        ftruncateSync(descriptor, 0);
        size = 0;
      }
      sink.write(text);
      size += added;
    },
    flush: () => sink.flush(),
  };
}

/** Writes to several sinks. */
export function allOf(...sinks: readonly Sink[]): Sink {
  return {
    write(text) {
      for (const sink of sinks) sink.write(text);
    },
    flush() {
      for (const sink of sinks) sink.flush();
    },
  };
}
