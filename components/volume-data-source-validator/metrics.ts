import { Counter, Gauge, type Registry } from "@csi-sidecars/base/prometheus";
import type { ClaimVerdicts } from "./claim-verdicts.ts";
import type { Verdict } from "./verdict.ts";

/** The counter of upstream's validator, and a gauge of our own. */
export interface ValidatorMetrics {
  /** `error`: a populator that registers no kind. */
  count(result: Verdict | "error"): void;
}

export function validatorMetrics(registry: Registry, verdicts: Pick<ClaimVerdicts, "invalidClaims">): ValidatorMetrics {
  const results = new Counter({
    name: "volume_data_source_validator_operation_count",
    help: "[ALPHA] Number of validations operations by result",
    labelNames: ["result"],
    registers: [registry],
  });
  new Gauge({
    name: "csi_sidecars_volume_data_source_validator_invalid_claims",
    help: "[ALPHA] Unbound claims whose data source is of a kind that no VolumePopulator registers",
    registers: [registry],
    collect() {
      this.set(verdicts.invalidClaims);
    },
  });
  return { count: (result) => results.inc({ result }) };
}
