import { goQuote, messageOf, ownValue, parseExactJson, stringifyExactJson } from "@csi-sidecars/base";
import { isObject, typeName, type Unstructured, without } from "../review/unstructured.ts";

/** Where an object keeps, while it is shown as v1beta1, what that version has no fields for. */
export const trackingAnnotation = "groupsnapshot.storage.kubernetes.io/volume-snapshot-info-list";

/** Of v1 and v1beta2: handles, time, size and readiness of each snapshot. */
const infoList = "volumeSnapshotInfoList";
/** Of v1beta1: the handles alone. */
const pairList = "volumeSnapshotHandlePairList";

/**
 * A VolumeGroupSnapshotContent with the status of v1beta1. What it cannot show stays in the tracking annotation, so that
 * {@link showInfoList} gets everything back. Throws where the list is none.
 */
export function hideInfoList(object: Unstructured): Unstructured {
  const { status } = object;
  const list = listIn(status, infoList);
  if (list === undefined || !isObject(status)) return object;
  const pairs = list.map((entry, index) => {
    if (!isObject(entry)) throw new Error(`unexpected content in .status.${infoList}[${index}]: expected map`);
    return ["creationTime", "readyToUse", "restoreSize"].reduce(without, entry);
  });
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const annotations = { ...annotationsOf(object), [trackingAnnotation]: sortedJson(list) };
  return {
    ...object,
    metadata: { ...metadata, annotations },
    status: { ...without(status, infoList), [pairList]: pairs },
  };
}

/** The same object with the status of v1beta2 and v1. Throws where the annotation or a list cannot be read. */
export function showInfoList(object: Unstructured): Unstructured {
  const { status } = object;
  const annotations = annotationsOf(object);
  const tracked = ownValue(annotations, trackingAnnotation);
  if (typeof tracked === "string") {
    if (status !== undefined && !isObject(status))
      throw new Error(`error while setting .status.${infoList}: .status is ${typeName(status)}`);
    const metadata = isObject(object.metadata) ? object.metadata : {};
    return {
      ...object,
      metadata: { ...metadata, annotations: without(annotations, trackingAnnotation) },
      status: { ...without(status ?? {}, pairList), [infoList]: trackedList(tracked) },
    };
  }
  const pairs = listIn(status, pairList);
  if (pairs === undefined || !isObject(status)) return object;
  return { ...object, status: { ...without(status, pairList), [infoList]: pairs } };
}

function trackedList(text: string): readonly unknown[] {
  try {
    const list = parseExactJson(text);
    if (Array.isArray(list)) return list;
    throw new Error(`expected an array, found ${typeName(list)}`);
  } catch (error) {
    throw new Error(`unable to deserialize annotation ${goQuote(trackingAnnotation)}: ${messageOf(error)}`, { cause: error });
  }
}

function listIn(status: unknown, field: string): readonly unknown[] | undefined {
  if (status === undefined || status === null) return undefined;
  const unexpected = (what: string, value: unknown) => new Error(`unable to traverse for .status.${field}: ${what} is ${typeName(value)}`);
  if (!isObject(status)) throw unexpected(".status", status);
  const list = ownValue(status, field);
  if (list === undefined || list === null) return undefined;
  if (!Array.isArray(list)) throw unexpected(`.status.${field}`, list);
  return list;
}

function annotationsOf({ metadata }: Unstructured): Unstructured {
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  return isObject(annotations) ? annotations : {};
}

/** As Go writes it: without spaces, members by their names, and nothing that HTML would take for its own. */
function sortedJson(value: unknown): string {
  return stringifyExactJson(sorted(value)).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(ownValue(value, name))]));
}
