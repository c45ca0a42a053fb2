import { messageOf, type Result } from "@csi-sidecars/base";
import type { Parameters } from "@csi-sidecars/controller";
import type { CreateSnapshotRequest } from "@csi-sidecars/csi";
import { driverParameters } from "../class-parameters.ts";
import { annotatedCredentials, snapshotSecrets } from "../credentials.ts";
import type { Content } from "../fields.ts";
import { messages } from "../messages.ts";
import { type ContentContext, classOf } from "./content-context.ts";
import { createRequest } from "./create-request.ts";
import { isAbandoned } from "./plan-content.ts";

/** What a call of CreateSnapshot needs. */
export interface CreateInput {
  /** Those of the class. */
  readonly parameters: Parameters;
  /** Whether they are not known: the class is gone, and so is who knew them. */
  readonly isGuess: boolean;
  readonly request: CreateSnapshotRequest;
}

type ClassParameters = Pick<CreateInput, "parameters" | "isGuess">;

/** Everything for CreateSnapshot, read before the content is marked; or why it cannot be called, in upstream's words. */
export async function createInput(c: ContentContext, content: Content, signal: AbortSignal): Promise<Result<CreateInput>> {
  const ofClass = classParameters(c, content);
  if (ofClass.error !== undefined) return ofClass;
  const secrets = await annotatedCredentials(c, snapshotSecrets, content, signal).catch((error: unknown) => new Error(messageOf(error)));
  if (secrets instanceof Error) return { error: messages.inputUnavailable(content.metadata.name, secrets.message) };
  const request = createRequest(content, ofClass.value.parameters, c);
  if (request.error !== undefined) return request;
  return { value: { ...ofClass.value, request: { ...request.value, secrets } } };
}

/**
 * The parameters of the class. A content that is deleted may have lost it: the driver is asked all the same whether it has taken the snapshot,
 * as it was asked the last time or, after a restart, without parameters. Otherwise the content could never go.
 */
function classParameters(c: ContentContext, content: Content): Result<ClassParameters> {
  const { name, uid } = content.metadata;
  const found = foundParameters(c, content);
  if (found.error === undefined) return { value: { parameters: found.value, isGuess: false } };
  if (isAbandoned(content)) {
    c.log.info("The class of a deleted content cannot be used, the driver is asked for its snapshot without it", { content: name });
    const last = c.state.calledWith(uid);
    return { value: { parameters: last ?? {}, isGuess: !last } };
  }
  const className = content.spec?.volumeSnapshotClassName;
  if (className) c.waiting.add(name, className);
  return found;
}

function foundParameters(c: ContentContext, content: Content): Result<Parameters> {
  const { name } = content.metadata;
  const className = content.spec?.volumeSnapshotClassName;
  if (!className) return { error: messages.inputUnavailable(name, messages.noClass(name)) };
  const snapshotClass = classOf(c, content);
  if (snapshotClass?.driver !== c.driver.name) return { error: messages.inputUnavailable(name, messages.classMissing(className)) };
  const parameters = driverParameters(snapshotClass.parameters);
  return parameters.error === undefined ? parameters : { error: messages.parametersInvalid(parameters.error) };
}
