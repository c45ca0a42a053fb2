import { type FieldError, invalidValue, requiredValue } from "../../field-error.ts";
import { type JsonObject, stringAt } from "../../json.ts";
import type { KindRules } from "../../kind.ts";
import { qualifiedNameErrors } from "../../name-validation.ts";

/** Core events. An event lies in the namespace of its object, or in `default` when the object has none. */
export const eventRules: KindRules = {
  defaults: (object) => ({
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: "",
    reportingInstance: "",
    ...object,
  }),
  validate: (object) => [...namespaceErrors(object), ...(object.eventTime ? newStyleErrors(object) : [])],
};

function namespaceErrors(object: JsonObject): FieldError[] {
  const own = stringAt(object, "metadata", "namespace");
  const involved = stringAt(object, "involvedObject", "namespace");
  const matches = involved === "" ? own === "default" || own === "" : involved === own;
  return matches ? [] : [invalidValue("involvedObject.namespace", involved, "does not match event.namespace")];
}

function newStyleErrors(object: JsonObject): FieldError[] {
  const reporter = stringAt(object, "reportingComponent");
  return [
    ...(reporter ? [] : [requiredValue("reportingComponent")]),
    ...qualifiedNameErrors(reporter).map((fault) => invalidValue("reportingComponent", reporter, fault)),
    ...["reportingInstance", "action", "reason"].filter((field) => !stringAt(object, field)).map((field) => requiredValue(field)),
  ];
}
