import type { Logger } from "@csi-sidecars/base";

/** Logs every line in two places, each with its own verbosity. */
export function teeLogger(one: Logger, other: Logger): Logger {
  return {
    info(message, fields) {
      one.info(message, fields);
      other.info(message, fields);
    },
    error(error, message, fields) {
      one.error(error, message, fields);
      other.error(error, message, fields);
    },
    v: (level) => teeLogger(one.v(level), other.v(level)),
    get enabled() {
      return one.enabled || other.enabled;
    },
    named: (name) => teeLogger(one.named(name), other.named(name)),
    with: (fields) => teeLogger(one.with(fields), other.with(fields)),
  };
}
