import { at, type JsonObject, objectAt, stringAt, withAt } from "../../json.ts";
import type { KindRules } from "../../kind.ts";

const uidLabel = "batch.kubernetes.io/controller-uid";
const nameLabel = "batch.kubernetes.io/job-name";
/** Pods have them under their older names too. */
const older = { uid: "controller-uid", name: "job-name" };

const usual: readonly (readonly [path: string, value: unknown])[] = [
  ["parallelism", 1],
  ["completions", 1],
  ["backoffLimit", 6],
  ["completionMode", "NonIndexed"],
  ["suspend", false],
];

/** Jobs, as far as kubectl and the controller read them: a job selects its pods by its own uid. */
export const jobRules: KindRules = {
  defaults: (object) =>
    usual.reduce(
      (whole, [field, value]) => (at(whole, "spec", field) === undefined ? withAt(whole, ["spec", field], value) : whole),
      object,
    ),
  create(object) {
    if (at(object, "spec", "manualSelector") === true) return object;
    const [uid, name] = [stringAt(object, "metadata", "uid"), stringAt(object, "metadata", "name")];
    const labels: JsonObject = {
      ...objectAt(object, "spec", "template", "metadata", "labels"),
      ...{ [uidLabel]: uid, [nameLabel]: name, [older.uid]: uid, [older.name]: name },
    };
    const selecting = withAt(object, ["spec", "selector"], { matchLabels: { [uidLabel]: uid } });
    return withAt(selecting, ["spec", "template", "metadata", "labels"], labels);
  },
};
