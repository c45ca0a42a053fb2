import { type Fields, type Logger, messageOf } from "@csi-sidecars/base";

/**
 * klog-like text, one line per entry. Messages are not quoted, as in the Go driver: Kubernetes' tests read JSON out of them.
 */
export function textLogger(write: (line: string) => void, verbosity: number, now: () => Date = () => new Date()): Logger {
  const make = (name: string, level: number, bound: Fields): Logger => {
    const print = (severity: "I" | "E", message: string, fields: Fields) =>
      write(
        `${severity}${stamp(now())} ${process.pid} hostpath:0] ${message.replaceAll("\n", "\\n")}${rendered({ ...bound, ...fields })}\n`,
      );
    return {
      info(message, fields = {}) {
        if (level <= verbosity) print("I", message, fields);
      },
      error(error, message, fields = {}) {
        print("E", message, { err: messageOf(error), ...fields });
      },
      v: (more) => make(name, level + more, bound),
      enabled: level <= verbosity,
      named: (child) => make(name ? `${name}.${child}` : child, level, { ...bound, logger: name ? `${name}.${child}` : child }),
      with: (fields) => make(name, level, { ...bound, ...fields }),
    };
  };
  return make("", 0, {});
}

const rendered = (fields: Fields) =>
  Object.entries(fields)
    .map(([key, value]) => ` ${key}=${JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner))}`)
    .join("");

const stamp = (date: Date) => {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${two(date.getMonth() + 1)}${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}000`;
};
