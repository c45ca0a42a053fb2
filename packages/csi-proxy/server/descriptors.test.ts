import { expect, test } from "bun:test";
import { createFileRegistry, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { compileProtos, csiProxyProtos } from "../../../tools/generate-protocol/render-protocol.ts";
import { apiGroups } from "./api-groups.ts";
import { methodTable } from "./testing/method-table.ts";
import { declared } from "./testing/wire-fields.ts";

const registry = createFileRegistry(await compileProtos(csiProxyProtos));
const files = [...registry.files];
const scalars = new Map([
  [ScalarType.STRING, "s"],
  [ScalarType.BOOL, "b"],
  [ScalarType.UINT32, "u32"],
  [ScalarType.INT64, "i64"],
]);

test("one file for each group and version", () => {
  const expected = apiGroups.flatMap(({ group, versions }) => versions.map((version) => `${group}/${version}`));
  expect(files.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
});

test("the compiled definitions have the methods, names, numbers and types of all 139 methods, and no others", () => {
  const compiled = files.flatMap(({ name, services }) =>
    services.flatMap((service) =>
      service.methods.map((method) => {
        expect(method.methodKind).toBe("unary");
        return `${name} /${service.typeName}/${method.name}: ${describe(method.input)} -> ${describe(method.output)}`;
      }),
    ),
  );
  const services = new Map<string, string>(apiGroups.map(({ group, service }) => [group, service]));
  const specified = methodTable.map(({ group, version, method, messages = method, request, response }) => {
    const path = `${group}/${version} /${version}.${services.get(group)}/${method}`;
    return `${path}: ${version}.${messages}Request{${declared(request)}} -> ${version}.${messages}Response{${declared(response)}}`;
  });
  expect(specified).toHaveLength(139);
  expect(compiled.toSorted()).toEqual(specified.toSorted());
});

test("the values of the enums", () => {
  const values = new Map(
    files.flatMap(({ enums }) => enums.map((e) => [e.typeName, e.values.map(({ name, number }) => `${name}=${number}`).join(" ")])),
  );
  const context = "PLUGIN=0 POD=1";
  const authentication = "NONE=0 ONE_WAY_CHAP=1 MUTUAL_CHAP=2";
  expect(Object.fromEntries(values)).toEqual({
    "v1alpha1.PathContext": context,
    "v1beta1.PathContext": context,
    "v1alpha1.AuthenticationType": authentication,
    "v1alpha2.AuthenticationType": authentication,
    "v1alpha1.ServiceStatus": "UNKNOWN=0 STOPPED=1 START_PENDING=2 STOP_PENDING=3 RUNNING=4 CONTINUE_PENDING=5 PAUSE_PENDING=6 PAUSED=7",
    "v1alpha1.StartType": "BOOT=0 SYSTEM=1 AUTOMATIC=2 MANUAL=3 DISABLED=4",
  });
});

const describe = (message: DescMessage): string => `${message.typeName}{${fieldsOf(message)}}`;

const fieldsOf = (message: DescMessage): string =>
  message.fields
    .toSorted((a, b) => a.number - b.number)
    .map((field) => `${field.name}:${field.number} ${typeOf(field)}`)
    .join(" ");

function typeOf(field: DescField): string {
  const { message, enum: values, scalar } = field;
  const type = message?.name ?? (values ? `enum ${values.name}` : scalars.get(scalar!)!);
  const insides = message ? `{${fieldsOf(message)}}` : "";
  if (field.fieldKind === "map") return `map<${scalars.get(field.mapKey)},${type}>${insides}`;
  return (field.fieldKind === "list" ? `repeated ${type}` : type) + insides;
}
