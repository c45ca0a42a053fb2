import { describe, expect, test } from "bun:test";
import { CSINode, Event, Node, Pod, resource } from "@csi-sidecars/kube";
import type { ServedKind } from "../kind.ts";
import { parseFieldSelector } from "./field-selector.ts";
import { parseLabelSelector } from "./label-selector.ts";

const Secret = resource("v1", "secrets", "Secret", { namespaced: true });

describe("a label selector", () => {
  const labels = { app: "csi", "csi.io/tier": "gold", empty: "", n: "7" };
  const cases: [selector: string, selected: boolean][] = [
    ["", true],
    ["app", true],
    ["app=csi", true],
    ["app==csi", true],
    ["app=other", false],
    ["app!=other", true],
    ["missing!=other", true],
    ["!missing", true],
    ["!app", false],
    ["missing", false],
    ["csi.io/tier in (gold, silver)", true],
    ["csi.io/tier notin (gold)", false],
    ["missing notin (gold)", true],
    ["missing in (gold)", false],
    ["empty=", true],
    ["empty in ()", true],
    ["empty in (a,,b)", true],
    ["app=csi,csi.io/tier=gold", true],
    ["app=csi,csi.io/tier=silver", false],
    ["n>5", true],
    ["n<5", false],
    ["in=in", false],
  ];
  test.each(cases)("%s", (selector, selected) => {
    expect(parseLabelSelector(selector)(labels)).toBe(selected);
  });
  const bad: [selector: string, message: string][] = [
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a in b", "unable to parse requirement: found 'b' expected: '('"],
    ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (!)", "unable to parse requirement: found '!', expected: ',', ')' or identifier"],
    ["a,", "found '', expected: identifier after ','"],
    [",a", "found ',', expected: !, identifier, or 'end of string'"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["a=b=c", "found '=', expected: ',' or 'end of string'"],
    ["!a=b", "found '=', expected: ',' or 'end of string'"],
    ["=b", "found '=', expected: !, identifier, or 'end of string'"],
    [
      "a=-b",
      "unable to parse requirement: values[0][a]: Invalid value: \"-b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ];
  test.each(bad)("refused: %s", (selector, message) => {
    expect(() => parseLabelSelector(selector)).toThrow(message);
  });
});

describe("a field selector", () => {
  const pod = { metadata: { name: "a", namespace: "ns" }, spec: { nodeName: "n1" }, status: { phase: "Running" } };
  const event = { involvedObject: { kind: "Pod", name: "a" }, source: { component: "c" }, type: "Warning" };
  const custom: ServedKind = { ...Pod, group: "x.io", plural: "things", custom: true, selectableFields: [".spec.driver"] };
  const cases: [selector: string, kind: ServedKind, object: object, selected: boolean][] = [
    ["", Pod, pod, true],
    ["metadata.name=a", Pod, pod, true],
    ["metadata.name==a,metadata.namespace=ns", Pod, pod, true],
    ["metadata.name!=a", Pod, pod, false],
    ["spec.nodeName=n1,status.phase!=Succeeded", Pod, pod, true],
    ["spec.nodeName=", Pod, { spec: {} }, true],
    ["involvedObject.kind=Pod,involvedObject.name=a,type=Warning,source=c", Event, event, true],
    ["type=Opaque", Secret, { type: "Opaque" }, true],
    ["spec.driver=d", custom, { spec: { driver: "d" } }, true],
    ["metadata.name=a\\,b", Pod, { metadata: { name: "a,b" } }, true],
    ["metadata.name=", Pod, pod, false],
    ["!=", Pod, pod, true],
    ["metadata.name=\\=\\\\", Pod, { metadata: { name: "=\\" } }, true],
  ];
  test.each(cases)("%s", (selector, kind, object, selected) => {
    expect(parseFieldSelector(kind, selector)({ ...object })).toBe(selected);
  });
  const bad: [selector: string, kind: ServedKind, message: string][] = [
    ["a.b=c", Pod, "field label not supported: a.b"],
    ["a.b=c", custom, "field label not supported: a.b"],
    ["a.b=c", CSINode, '"a.b" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ["metadata.namespace=c", Node, "field label not supported: metadata.namespace"],
    ["abc", Secret, "invalid selector: 'abc'; can't understand 'abc'"],
    ["metadata.name=a=b", Pod, "invalid field selector: unescaped character in value: 61"],
    ["metadata.name=\\a", Pod, "invalid field selector: invalid escape sequence: \\a"],
    ["spec.x=1,metadata.name", Pod, "invalid selector: 'spec.x=1,metadata.name'; can't understand 'metadata.name'"],
  ];
  test.each(bad)("refused: %s", (selector, kind, message) => {
    expect(() => parseFieldSelector(kind, selector)).toThrow(message);
  });
});
