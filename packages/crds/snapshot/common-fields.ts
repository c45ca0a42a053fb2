import { dateTime, object, type Schema, text } from "../schema.ts";

/** Why the last attempt failed, in the status of the four kinds that have one. */
export const lastError = object("Why the last attempt failed. Removed when an attempt succeeds.", {
  message: text("What went wrong, in words. It may be shown to users and never contains secrets."),
  time: dateTime("When it went wrong."),
});

/** A v1.ObjectReference. */
export function objectReference(description: string): Schema {
  return object(description, {
    apiVersion: text("The version of the API of the object that is referred to."),
    fieldPath: text("A part of the object. Not used here."),
    kind: text("The kind of the object."),
    name: text("The name of the object."),
    namespace: text("The namespace of the object."),
    resourceVersion: text("The version of the object at the time when it was referred to."),
    uid: text("The UID of the object. An object of the same name that was created later has another one."),
  });
}
