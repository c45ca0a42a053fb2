import { ownValue, setOwnValue } from "@csi-sidecars/base";
import { invalidValue } from "../../field-error.ts";
import { at, objectAt } from "../../json.ts";
import type { KindRules, ServedKind } from "../../kind.ts";
import { undecodable } from "../../status.ts";

/** Leases. Their times are metav1.MicroTime: without exactly six fractional digits the request is not decoded. */
export const leaseRules: KindRules = {
  defaults: (object, kind) => {
    const spec = { ...objectAt(object, "spec") };
    delete spec.preferredHolder;
    delete spec.strategy;
    for (const member of ["acquireTime", "renewTime"]) {
      const time = ownValue(spec, member);
      if (time === null) delete spec[member];
      else if (time !== undefined) setOwnValue(spec, member, microTime(time, kind));
    }
    return { ...object, spec };
  },
  validate: (object) => {
    const duration = at(object, "spec", "leaseDurationSeconds");
    const transitions = at(object, "spec", "leaseTransitions");
    return [
      ...(typeof duration === "number" && duration <= 0
        ? [invalidValue("spec.leaseDurationSeconds", duration, "must be greater than 0")]
        : []),
      ...(typeof transitions === "number" && transitions < 0
        ? [invalidValue("spec.leaseTransitions", transitions, "must be greater than or equal to 0")]
        : []),
    ];
  },
};

const layout = "2006-01-02T15:04:05.000000Z07:00";

function microTime(value: unknown, kind: ServedKind): string {
  const text = String(value);
  const found = /^(?<seconds>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?<fraction>\.\d{6})(?<zone>Z|[+-]\d\d:\d\d)$/.exec(text)?.groups;
  if (found) {
    const whole = new Date(`${found.seconds}${found.zone}`);
    if (!Number.isNaN(whole.getTime())) return `${whole.toISOString().slice(0, 19)}${found.fraction}Z`;
  }
  const rest = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(.*)$/.exec(text)?.[1];
  const where = rest === undefined ? `cannot parse "${text}" as "2006"` : `cannot parse "${rest}" as ".000000"`;
  throw undecodable(kind, `parsing time "${text}" as "${layout}": ${where}`);
}
