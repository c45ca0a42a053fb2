import { projectorFor, type V1VolumeAttributesClass } from "@csi-sidecars/kube";
import { type AttributesClass, attributesClassFields } from "../../fields.ts";
import { driverName } from "../../testing/objects.ts";

/** A class of the tests' driver unless told. Its parameters say which one it is. */
export function attributesClassObject(
  name: string,
  parameters: Record<string, string> = { tier: name },
  driver = driverName,
): V1VolumeAttributesClass {
  return { metadata: { name }, driverName: driver, parameters };
}

/** The class as the cache holds it. */
export function attributesClass(...parts: Parameters<typeof attributesClassObject>): AttributesClass {
  const object = attributesClassObject(...parts);
  return projectorFor(attributesClassFields)({
    ...object,
    metadata: { ...object.metadata, uid: `uid-of-${parts[0]}`, resourceVersion: "1" },
  });
}
