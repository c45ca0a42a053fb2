// `npm run generate:openapi`: asks a real kube-apiserver for the schemas of the kinds that the embedded one serves, and the sources it is built
// from for the numbers of their fields in protobuf.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { reviewKinds } from "../../packages/testcluster/apiserver/rest/reviews.ts";
import { builtInKinds } from "../../packages/testcluster/kinds/built-in.ts";
import { schemaNameOf } from "../../packages/testcluster/kinds/schemas.ts";
import { startControlPlane } from "../../packages/testcluster/real/control-plane.ts";
import { goPackages } from "./go-packages.ts";
import { keepSchemas, type PublishedDocument, schemasText } from "./keep-schemas.ts";
import { messageFields } from "./message-fields.ts";

const folder = join(import.meta.dirname, "../../packages/testcluster/kinds/gen");
const kinds = [...builtInKinds, ...reviewKinds];
const roots = new Set(kinds.map(({ group, version }) => (group === "" ? `api/${version}` : `apis/${group}/${version}`)));

await using plane = await startControlPlane({ env: process.env, users: [], storageControllers: false });
const documents: PublishedDocument[] = [];
for (const root of roots) {
  const answer = await fetch(`${plane.url}/openapi/v3/${root}`, {
    headers: { Authorization: `Bearer ${plane.adminToken}`, Accept: "application/json" },
    tls: { ca: plane.caPem },
  });
  if (!answer.ok) throw new Error(`/openapi/v3/${root}: ${answer.status} ${await answer.text()}`);
  documents.push(JSON.parse(await answer.text()));
}
const schemas = keepSchemas(documents, kinds);
writeFileSync(join(folder, "schemas.json"), schemasText(schemas));

/** Sent besides objects: what a delete, a scheduler and somebody who wants a token say. */
const bodies = [
  "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
  "io.k8s.api.core.v1.Binding",
  "io.k8s.api.authentication.v1.TokenRequest",
];
const messages = messageFields(goPackages(), [...kinds.flatMap((kind) => schemaNameOf(kind) ?? []), ...bodies]);
writeFileSync(join(folder, "messages.json"), schemasText(messages));
console.log(`${kinds.length} kinds: ${Object.keys(schemas).length} schemas, ${Object.keys(messages).length} messages in ${folder}`);
